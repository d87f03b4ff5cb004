export const en = {
  integration: {
    address: 'Address',
    byFile: 'Managed by configuration file.',
    channelName: 'Channel name',
    channels: 'Channels',
    checklist: 'Setup checklist',
    clientHash: 'Client hash in webhooks',
    deliver: 'Sending',
    delivers: { live: 'Live', observe: 'Observe only: nothing is sent' },
    deviceKeys: 'Device keys',
    done: 'Done',
    doneOf: '{{done}} of {{all}} done',
    eventsOf_one: '{{shown}} event',
    eventsOf_other: '{{shown}} events',
    examples: 'Code examples',
    goLive: 'Go live',
    inExamples: 'The examples on this page use it until you leave the page.',
    keyState: { sent: 'accepted, sent with webhooks', live: 'accepted', revoked: 'revoked' },
    keys: 'License keys',
    lastOfThem: 'latest occurrence',
    lastUsed: 'last used',
    lead: 'Connect a bank: keys, webhook, channels and rejected requests.',
    neverUsed: 'never used',
    newKey: 'New key',
    newKeyTitle: 'New license key',
    noChannels: 'No events yet. A channel appears with its first event.',
    noneRefused: 'No rejected requests in the last 7 days',
    observe: 'Switch to observe only',
    oneSecret: 'one signing secret',
    open: 'Open',
    origin: 'Public address of the service',
    overlap: 'Both signing secrets until',
    promote: 'Send with webhooks',
    refused: 'Rejected requests',
    refusedHint: 'last 7 days, without the submitted values',
    retire: 'Retire previous secret',
    retireMeaning: 'Only the new secret signs from now on. Webhooks fail until the receiver of the bank has it.',
    retries: 'Retries after code 0',
    revoke: 'Revoke',
    revokeMeaning: 'Requests with this key are rejected from now on. This cannot be undone.',
    revokeSent:
      'This key is sent with webhooks: they are queued until another key is created or chosen for webhooks. A revoked key cannot be restored.',
    rotate: 'New signing secret',
    rotateKey: 'New device key',
    rotateKeyMeaning: 'Pages use the new key from their next load. Tokens of the previous key are still accepted.',
    rotateMeaning:
      'Webhooks are signed with both secrets for 24 hours. Install the new secret in the receiver of the bank within that time.',
    shownOnce: 'It is shown only once and is not stored in plain text. Copy it now.',
    step: {
      key: 'A license key was used',
      login: 'A login arrived',
      operation: 'An operation arrived',
      matched: 'An operation was matched to its session',
      channels: 'Every channel has a name',
      webhook: 'The webhook is set and has no failures',
      executed: 'The bank executed an action',
      live: 'The workspace is live',
    },
    stepHint: {
      key: 'Send any event with a license key.',
      login: 'POST it to /login: see the examples below.',
      operation: 'POST it to /operation with the session of the login.',
      matched: 'account.client and account.session must match a login in the same channel.',
      channels: 'Name them on the right.',
      webhook: 'Set its address. Deliveries shows the failures.',
      executed: 'Send a test action first. Then wait for a rule to trigger an action.',
      live: 'Until then it decides but sends nothing.',
    },
    unknownChannel: 'not configured',
    unnamed: 'Unnamed channel',
    warning: {
      address: {
        internal: {
          is: 'Logins from an internal network',
          mend: '`publicIp` is probably the proxy of the bank. Send the client address that the proxy sees.',
        },
        invalid: {
          is: 'Logins with an invalid `publicIp`',
          mend: 'Send the IPv4 or IPv6 address of the client, without a port.',
        },
      },
      channel: {
        unknown: {
          is: 'Events from an unconfigured channel',
          mend: 'Name it under Channels, or correct the `channelId`.',
        },
      },
      client: {
        missing: {
          is: 'Operations without a client',
          mend: 'Without `account.client`, no action can be requested. Send the `user` of the login there.',
        },
      },
      currency: {
        missing: {
          is: 'Amounts without a currency',
          mend: 'Send `order.currency`: amounts without a currency are in no sum.',
        },
      },
      device: {
        absent: {
          is: 'Logins without device data',
          mend: 'The page sends no token in `data`. For a channel without device data, set `device: none`.',
        },
        unusable: {
          is: 'Logins with an unreadable device token',
          mend: 'It is too old, from another page, or was made for other device keys.',
        },
      },
      session: {
        missing: {
          is: 'Operations without a session',
          mend: 'Send the `session` of the login as `account.session`.',
        },
        unmatched: {
          is: 'Operations without a matching login',
          mend: '`channelId`, client and session must match an earlier login whose session is still open.',
        },
      },
      timestamp: {
        implausible: {
          is: 'Events with an implausible time',
          mend: 'More than a day old, in the future, or a date without a time: the arrival time is used instead. The usual cause is a missing time zone.',
        },
        missing: {
          is: 'Operations without `timestamp`',
          mend: '`transaction.date` was used instead. Send `timestamp` with its time zone, like 2026-01-31T09:30:00-06:00.',
        },
      },
    },
    warnings: 'Accepted with warnings',
    warningsHint: 'last 24 hours',
    webhook: 'Webhook',
    yourKey: 'Your license key, for these examples only',
  },
};

export const es: typeof en = {
  integration: {
    address: 'Dirección',
    byFile: 'Administrado por el archivo de configuración.',
    channelName: 'Nombre del canal',
    channels: 'Canales',
    checklist: 'Lista de puesta en marcha',
    clientHash: 'Hash del cliente en webhooks',
    deliver: 'Envío',
    delivers: { live: 'Activo', observe: 'Solo observa: no se envía nada' },
    deviceKeys: 'Llaves de dispositivos',
    done: 'Listo',
    doneOf: '{{done}} de {{all}} completados',
    eventsOf_one: '{{shown}} evento',
    eventsOf_other: '{{shown}} eventos',
    examples: 'Ejemplos de código',
    goLive: 'Activar',
    inExamples: 'Los ejemplos de esta página la usan hasta que usted salga de la página.',
    keyState: { sent: 'aceptada, se envía con los webhooks', live: 'aceptada', revoked: 'revocada' },
    keys: 'Llaves de licencia',
    lastOfThem: 'el más reciente',
    lastUsed: 'último uso',
    lead: 'Conecte un banco: llaves, webhook, canales y solicitudes rechazadas.',
    neverUsed: 'nunca usada',
    newKey: 'Nueva llave',
    newKeyTitle: 'Nueva llave de licencia',
    noChannels: 'Todavía no hay eventos. Un canal aparece con su primer evento.',
    noneRefused: 'Sin solicitudes rechazadas en los últimos 7 días',
    observe: 'Solo observar',
    oneSecret: 'un secreto de firma',
    open: 'Pendiente',
    origin: 'Dirección pública del servicio',
    overlap: 'Ambos secretos de firma hasta',
    promote: 'Enviar con webhooks',
    refused: 'Solicitudes rechazadas',
    refusedHint: 'últimos 7 días, sin los valores enviados',
    retire: 'Retirar el secreto anterior',
    retireMeaning:
      'Desde ahora solo firma el secreto nuevo. Los webhooks fallan hasta que el receptor del banco lo tenga.',
    retries: 'Reintentos tras código 0',
    revoke: 'Revocar',
    revokeMeaning: 'Las solicitudes con esta llave se rechazan desde ahora. No se puede deshacer.',
    revokeSent:
      'Esta llave se envía con los webhooks: quedan en cola hasta que se cree o se elija otra llave para los webhooks. Una llave revocada no se puede restaurar.',
    rotate: 'Nuevo secreto de firma',
    rotateKey: 'Nueva llave de dispositivos',
    rotateKeyMeaning:
      'Las páginas usan la llave nueva desde su próxima carga. Los tokens de la llave anterior se siguen aceptando.',
    rotateMeaning:
      'Los webhooks se firman con ambos secretos durante 24 horas. Instale el nuevo en el receptor del banco en ese plazo.',
    shownOnce: 'Se muestra una sola vez y no se guarda en texto claro. Cópielo ahora.',
    step: {
      key: 'Se usó una llave de licencia',
      login: 'Llegó un acceso',
      operation: 'Llegó una operación',
      matched: 'Una operación encontró su sesión',
      channels: 'Cada canal tiene nombre',
      webhook: 'El webhook está configurado y no tiene fallos',
      executed: 'El banco ejecutó una acción',
      live: 'El espacio está activo',
    },
    stepHint: {
      key: 'Envíe cualquier evento con una llave de licencia.',
      login: 'Envíelo con POST a /login: vea los ejemplos de abajo.',
      operation: 'Envíela con POST a /operation con la sesión del acceso.',
      matched: 'account.client y account.session deben coincidir con un acceso en el mismo canal.',
      channels: 'Nómbrelos a la derecha.',
      webhook: 'Configure su dirección. Envíos muestra los fallos.',
      executed: 'Envíe primero una acción de prueba. Después espere a que una regla pida una acción.',
      live: 'Hasta entonces decide, pero no envía nada.',
    },
    unknownChannel: 'sin configurar',
    unnamed: 'Canal sin nombre',
    warning: {
      address: {
        internal: {
          is: 'Accesos desde una red interna',
          mend: '`publicIp` es probablemente el proxy del banco. Envíe la dirección del cliente que ve el proxy.',
        },
        invalid: {
          is: 'Accesos con un `publicIp` no válido',
          mend: 'Envíe la dirección IPv4 o IPv6 del cliente, sin puerto.',
        },
      },
      channel: {
        unknown: {
          is: 'Eventos de un canal sin configurar',
          mend: 'Dele un nombre en Canales, o corrija el `channelId`.',
        },
      },
      client: {
        missing: {
          is: 'Operaciones sin cliente',
          mend: 'Sin `account.client` no se puede pedir ninguna acción. Envíe ahí el `user` del acceso.',
        },
      },
      currency: {
        missing: {
          is: 'Montos sin moneda',
          mend: 'Envíe `order.currency`: los montos sin moneda no entran en ninguna suma.',
        },
      },
      device: {
        absent: {
          is: 'Accesos sin datos del dispositivo',
          mend: 'La página no envía un token en `data`. Para un canal sin datos de dispositivo, configure `device: none`.',
        },
        unusable: {
          is: 'Accesos con un token de dispositivo ilegible',
          mend: 'Es demasiado antiguo, de otra página, o se hizo para otras llaves.',
        },
      },
      session: {
        missing: {
          is: 'Operaciones sin sesión',
          mend: 'Envíe la `session` del acceso como `account.session`.',
        },
        unmatched: {
          is: 'Operaciones sin un acceso correspondiente',
          mend: '`channelId`, cliente y sesión deben coincidir con un acceso anterior cuya sesión siga abierta.',
        },
      },
      timestamp: {
        implausible: {
          is: 'Eventos con una hora inverosímil',
          mend: 'De hace más de un día, del futuro, o una fecha sin hora: se usa la hora de llegada. La causa habitual es que falta la zona horaria.',
        },
        missing: {
          is: 'Operaciones sin `timestamp`',
          mend: 'Se usó `transaction.date`. Envíe `timestamp` con su zona horaria, como 2026-01-31T09:30:00-06:00.',
        },
      },
    },
    warnings: 'Aceptados con advertencias',
    warningsHint: 'últimas 24 horas',
    webhook: 'Webhook',
    yourKey: 'Su llave de licencia, solo para los ejemplos',
  },
};
