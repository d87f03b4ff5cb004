/** Titles of problems by code. */
export const problemTitles: Readonly<Record<string, string>> = {
  'body.tooLarge': 'El cuerpo es más grande de lo que se acepta.',
  'code.required': 'Esta cuenta tiene un segundo factor.',
  'database.unavailable': 'La base de datos no responde ahora.',
  'invitation.invalid': 'Este enlace no es válido o ya venció.',
  'log.unavailable': 'No se pudo guardar. Inténtelo de nuevo.',
  'login.refused': 'El correo electrónico, la contraseña o el código es incorrecto.',
  'openId.failed': 'No se pudo iniciar sesión con el proveedor.',
  'owner.config': 'Administrado por el archivo de configuración; cámbielo ahí.',
  'policy.invalid': 'La política tiene errores.',
  'rate.limited': 'Demasiadas solicitudes.',
  'request.foreign': 'La solicitud no viene de una página de la consola.',
  'request.invalid': 'Algunos datos no son válidos.',
  'right.missing': 'No tiene permiso para esto.',
  'service.failed': 'Error interno. Quedó registrado con el id de la solicitud.',
  'service.unreachable': 'No se puede contactar al servicio.',
  'session.missing': 'Su sesión terminó. Inicie sesión de nuevo.',
  'state.conflict': 'El estado actual no permite esta acción.',
  'thing.unknown': 'No se encontró.',
};

/** Details of problems that users meet while they work: the English sentence of the service and its translation. */
const problemDetails: readonly (readonly [RegExp, string])[] = [
  [/^(.+) (?:works|is working) on (?:this alert|alert \S+) until (.+)\.$/, '$1 tiene asignada esta alerta hasta $2.'],
  [/^Alert \S+ is claimed by (.+) until (.+)\.$/, '$1 tiene asignada esta alerta hasta $2.'],
  [/^Alert (\S+) was closed by (.+)\.$/, '$2 ya decidió la alerta $1.'],
  [
    /^Alert (\S+) (?:was decided so already, by|already has this outcome, set by) (.+)\.$/,
    '$2 ya decidió así la alerta $1.',
  ],
  [/^Alert (\S+) is open\b.*\.$/, 'La alerta $1 está abierta: decídala.'],
  [
    /^(?:Somebody else decides|Another (?:user|person) is deciding) alert (\S+).*\.$/,
    'Otra persona está decidiendo la alerta $1.',
  ],
  [/^There is no alert (\S+) in this workspace\.$/, 'No hay una alerta $1 en este espacio.'],
  [/^This client is not known (?:here|in the workspace)\.$/, 'Este cliente no se conoce en este espacio.'],
  [/^There is no event (\S+)\.$/, 'No hay un evento $1.'],
  [/^The event can (?:be read no more|no longer be read)\.$/, 'El evento ya no se puede leer.'],
  [/^There is no action (\S+)\.$/, 'No hay una acción $1.'],
  [/^This workspace (?:only )?observes: .*$/, 'Este espacio solo observa: no se envía nada al banco.'],
  [/^This account is disabled\..*$/, 'Esta cuenta está desactivada. Actívela primero.'],
  [/^This is the last administrator\..*$/, 'Es el último administrador. Nombre primero a otro.'],
  [/^(?:There is an account (\S+) already|The account (\S+) already exists)\.$/, 'Ya existe la cuenta $1$2.'],
  [/^The code is wrong.*\.$/, 'El código es incorrecto o ya se usó.'],
  [/^The account is disabled\.$/, 'La cuenta está desactivada.'],
];

/** The detail in Spanish; one without a translation stays in English, as the service wrote it. */
export function spanishDetail(detail: string): string {
  const known = problemDetails.find(([pattern]) => pattern.test(detail));
  return known === undefined ? detail : detail.replace(...known);
}
