export const en = {
  settings: {
    block: 'Block duration (hours)',
    blockHint: 'How long rules treat a client as blocked after the block was executed.',
    cards: 'Card numbers in free text',
    cardsChoice: { mask: 'Mask', refuse: 'Reject the event' },
    fourEyes: 'A second person must approve each policy change',
    grace: 'Login grace period (seconds)',
    graceHint: 'How long an operation waits for its login.',
    lagMax: 'Refuse events beyond (seconds)',
    lagMaxHint: 'Events are refused with 429 while their decision would take longer. Empty: none is refused.',
    keepActions: 'Retention of actions',
    keepEvents: 'Retention of events',
    keepHint: 'A number of days such as 400d, or forever.',
    readOnly:
      'Read-only: changes require an administrator, and settings in the configuration file can only be changed there.',
    timezone: 'Time zone',
    workspace: 'Workspace',
  },
};

export const es: typeof en = {
  settings: {
    block: 'Duración del bloqueo (horas)',
    blockHint: 'Cuánto tiempo tratan las reglas a un cliente como bloqueado después de ejecutar el bloqueo.',
    cards: 'Números de tarjeta en texto libre',
    cardsChoice: { mask: 'Ocultar', refuse: 'Rechazar el evento' },
    fourEyes: 'Una segunda persona debe aprobar cada cambio de política',
    grace: 'Tolerancia para accesos (segundos)',
    graceHint: 'Cuánto tiempo espera una operación a su acceso.',
    lagMax: 'Rechazar eventos a partir de (segundos)',
    lagMaxHint: 'Los eventos se rechazan con 429 mientras su decisión tarde más. Vacío: no se rechaza ninguno.',
    keepActions: 'Retención de acciones',
    keepEvents: 'Retención de eventos',
    keepHint: 'Un número de días como 400d, o forever (siempre).',
    readOnly:
      'Solo lectura: los cambios requieren un administrador, y lo que está en el archivo de configuración solo se cambia ahí.',
    timezone: 'Zona horaria',
    workspace: 'Espacio',
  },
};
