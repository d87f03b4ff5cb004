import type { en } from '../en/en.ts';

export const act: typeof en.act = {
  cancel: 'Cancelar',
  close: 'Cerrar',
  copied: 'Copiado',
  copy: 'Copiar',
  more: 'Más',
  save: 'Guardar',
  show: 'Mostrar',
  undo: 'Deshacer',
};

export const state: typeof en.state = {
  crashed: 'Es un error de la consola, no suyo.',
  crashedTitle: 'No se pudo mostrar esta página',
  forbidden: 'No tiene derecho a ver esto',
  home: 'Al resumen',
  loading: 'Cargando',
  missing: 'No existe esa página',
  no: 'No',
  nowhere: 'Un administrador puede darle un rol en un espacio. Después recargue esta página.',
  nowhereTitle: 'Todavía no tiene rol en ningún espacio',
  retry: 'Intentar de nuevo',
  saved: 'Guardado',
  yes: 'Sí',
};

export const section: typeof en.section = {
  overview: 'Resumen',
  alerts: 'Alertas',
  events: 'Eventos',
  policy: 'Política',
  lists: 'Listas',
  deliveries: 'Entregas',
  integration: 'Integración',
  settings: 'Ajustes',
  audit: 'Auditoría',
};

export const shell: typeof en.shell = {
  account: 'Cuenta de {{name}}',
  behind_one: '{{count}} evento sin decidir',
  behind_other: '{{count}} eventos sin decidir',
  development: 'Desarrollo',
  environment: 'Entorno',
  find: 'Buscar',
  keyboard: 'Atajos de teclado',
  language: 'Idioma',
  logOut: 'Cerrar sesión',
  looks: 'Aspecto',
  newWorkspace: 'Espacio nuevo',
  newWorkspaceKey:
    'Esta llave de licencia informa sus eventos. Se muestra esta única vez y no se guarda en claro: cópiela ahora.',
  newWorkspaceName: 'Como el banco o el producto: acme',
  newWorkspaceOpen: 'Abrirlo',
  newWorkspacePolicy: 'Empezar con la política del espacio abierto',
  observe: 'Observando',
  observeHint: 'Este espacio decide y no envía nada. Actívelo en Integración.',
  ownAccount: 'Su cuenta',
  pages: 'Páginas',
  paused: 'El envío está en pausa.',
  pausedHint: 'Se sigue decidiendo y no sale nada: las acciones esperan y caducan a su tiempo.',
  personalHint: 'Nombres y números de clientes. Que los miró queda escrito en la auditoría.',
  personalMasked: 'Oculto',
  personalShown: 'Visible',
  production: 'Producción',
  search: 'Buscar o ir a',
  searchHint: 'Cliente, sesión, evento, acción, regla o página',
  refusedPolicy: 'No se decide nada:',
  refusedPolicyHint:
    'esta versión del programa rechaza la política vigente. Los eventos se reciben y esperan. Haga que decida una versión válida, o corrija esta y aplíquela.',
  searchNothing: 'Nada se llama así.',
  skip: 'Ir al contenido',
  stream: { broken: 'Transmisión cortada', refused: 'Sin transmisión' },
  streamHint: {
    broken: 'Lo que pasa no se avisa al momento. El navegador se conecta de nuevo solo, y nada se pierde.',
    refused:
      'El servicio, o un proxy delante, rechaza la transmisión. Las páginas preguntan solas cada pocos segundos.',
  },
  switchTheme: 'Cambiar entre claro y oscuro',
  theme: 'Tema',
  toDeliveries: 'A las entregas',
  toVersions: 'A las versiones',
  themes: { system: 'Como el sistema', light: 'Claro', dark: 'Oscuro' },
  workspace: 'Espacio',
};

export const search: typeof en.search = {
  action: 'Abrir la acción',
  anything: 'Buscar lo que se llame así',
  event: 'Abrir el evento',
  lead: 'Exactamente con ese nombre: no se busca por partes.',
  none: 'Nada se llama exactamente así',
  noneHint:
    'Escríbalo como el banco: un cliente, una sesión, un dispositivo, una dirección, una cuenta, un beneficiario, una referencia o un id.',
  nothingTyped: 'Escriba lo que busca',
  rule: 'Eventos en que se disparó la regla',
  title: 'Búsqueda: {{text}}',
};

export const time: typeof en.time = {
  between: 'Entre dos instantes',
  from: 'Desde',
  hint: 'En los relojes de {{timeZone}}. Si falta: hasta ahora.',
  label: 'Tiempo',
  last: {
    '1h': 'La última hora',
    '24h': 'Las últimas 24 horas',
    '7d': 'Los últimos 7 días',
    '30d': 'Los últimos 30 días',
    '90d': 'Los últimos 90 días',
  },
  now: 'ahora',
  to: 'Hasta',
};

export const keys: typeof en.keys = {
  anywhere: 'En todas partes',
  claim: 'Tomar o soltar',
  close: 'Cerrar lo abierto',
  fraud: 'Fraude',
  help: 'Esta ayuda',
  legitimate: 'Legítimo',
  lists: 'En listas',
  mark: 'Marcar',
  next: 'Fila siguiente',
  open: 'Abrir la fila',
  pages: 'Ir a',
  previous: 'Fila anterior',
  search: 'Buscar o ir a',
  takeNext: 'Tomar la siguiente',
  title: 'Atajos de teclado',
};

export const login: typeof en.login = {
  act: 'Entrar',
  code: 'Código',
  codeHint: 'Seis dígitos de su aplicación, o un código de recuperación.',
  email: 'Correo electrónico',
  first: 'Nadie tiene cuenta todavía. El servicio imprimió al arrancar un enlace para el primer administrador.',
  firstAct: 'Crear mi cuenta',
  firstLead: 'Usted es la primera persona. Esta cuenta puede hacerlo todo.',
  firstTitle: 'Bienvenido a Ringfence',
  invitationAct: 'Fijar la contraseña',
  invitationDone: 'La contraseña está fijada. Entre como {{email}}.',
  invitationLead: 'Un administrador creó una cuenta para usted.',
  invitationTitle: 'Elija su contraseña',
  name: 'Su nombre',
  noToken: 'Este enlace no está completo. Cópielo entero, con lo que sigue al #.',
  openId: {
    disabled: 'Su cuenta está desactivada.',
    late: 'Tardó demasiado. Empiece de nuevo.',
    noEmail: 'El proveedor no da un correo que haya verificado.',
    nothingGranted: 'Todavía no tiene un rol aquí: pregunte a un administrador.',
    taken: 'Su correo pertenece a otra cuenta: pregunte a un administrador.',
    unconfirmed: 'El proveedor no confirmó el acceso. Empiece de nuevo.',
    unreachable: 'No se puede alcanzar al proveedor.',
  },
  password: 'Contraseña',
  passwordHint: 'Al menos 12 caracteres.',
  title: 'Entrar',
};
