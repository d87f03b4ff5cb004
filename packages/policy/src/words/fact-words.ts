import type { InWords, Telling } from './language.ts';

/**
 * Names of facts in running text. Spanish ones begin with their article, unless they are a statement such as `new
 * device`. What depends on the reader is marked:
 *
 *     {client's}      this client's | your
 *     {el}, {la}      el, la | su            and {del cliente}: of this client | nothing
 */
const facts: Readonly<Record<string, readonly [en: string, es: string]>> = {
  channelId: ['channel', 'el canal'],
  publicIp: ['address', 'la dirección IP'],
  'transaction.category': ['category of the operation', 'la categoría de la operación'],
  'transaction.type': ['type of the operation', 'el tipo de la operación'],
  'account.clientRefId': ['reference number of the client', 'el número de referencia del cliente'],
  'account.accountNumber': ['account', 'la cuenta'],
  'account.bank': ['bank of the account', 'el banco de la cuenta'],
  'order.amount': ['amount', 'el monto'],
  'order.currency': ['currency', 'la moneda'],
  'accountTo.accountNumber': ['account of the payee', 'la cuenta del beneficiario'],
  'accountTo.bank': ['bank of the payee', 'el banco del beneficiario'],
  'creditTo.account': ['credited account', 'la cuenta de abono'],
  'creditTo.bank': ['bank of the credited account', 'el banco de la cuenta de abono'],
  'creditCard.hash': ['card', 'la tarjeta'],
  'creditCard.bin': ['issuer of the card', 'el emisor de la tarjeta'],
  'event.kind': ['kind of event', 'el tipo de evento'],
  'event.hour': ['hour of the day', 'la hora del día'],
  'event.weekday': ['day of the week (0 is Sunday)', 'el día de la semana (0 es domingo)'],
  'event.timeStated': ['the event states its time', 'el evento indica su hora'],
  'event.timeKnown': ['time of the event known', 'hora del evento conocida'],
  'event.repeats': ['equal events in the 24 hours before', 'el número de eventos iguales en las 24 horas anteriores'],
  'client.known': ['client seen before', 'cliente visto antes'],
  'client.firstSeen': ["time since {client's} first event", 'el tiempo desde {el} primer evento{del cliente}'],
  'client.lastSeen': ["time since {client's} previous event", 'el tiempo desde {el} evento anterior{del cliente}'],
  'client.logins': ["{client's} logins in all", '{el} total de accesos{del cliente}'],
  'client.operations': ["{client's} operations in all", '{el} total de operaciones{del cliente}'],
  'client.sessionsOpen': ["{client's} open sessions", '{el} número de sesiones abiertas{del cliente}'],
  'client.blocked': ['client blocked', 'cliente bloqueado'],
  'client.blockedFor': ['time since the client was blocked', 'el tiempo desde el bloqueo del cliente'],
  'client.heldPayments': ["{client's} held payments", '{el} número de pagos retenidos{del cliente}'],
  'client.heldAmount': ["amount of {client's} held payments", '{el} monto de los pagos retenidos{del cliente}'],
  'client.stepUpsFailed': [
    "{client's} failed step-ups in 24 hours",
    '{el} número de verificaciones adicionales fallidas{del cliente} en 24 horas',
  ],
  'client.stepUpPassedAgo': [
    "time since {client's} last passed step-up",
    'el tiempo desde {la} última verificación adicional superada{del cliente}',
  ],
  'client.lastStepUp': [
    "result of {client's} last step-up",
    'el resultado de {la} última verificación adicional{del cliente}',
  ],
  'client.lastOutcome': ["{client's} last reported outcome", '{el} último resultado informado{del cliente}'],
  'client.lastOutcomeAgo': [
    "time since {client's} last reported outcome",
    'el tiempo desde {el} último resultado informado{del cliente}',
  ],
  'payee.id': ['payee', 'el beneficiario'],
  'payee.heldPayments': ['held payments to the payee', 'el número de pagos retenidos al beneficiario'],
  'payee.heldAmount': ['amount of held payments to the payee', 'el monto de los pagos retenidos al beneficiario'],
  'session.id': ['session', 'la sesión'],
  'session.ip': ['address of the session', 'la dirección IP de la sesión'],
  'session.required': ['session required', 'sesión obligatoria'],
  'session.matched': ['operation in an active session', 'operación en una sesión activa'],
  'session.mismatch': ['why there is no session', 'el motivo de que no haya sesión'],
  'session.active': ['session active before', 'sesión activa antes'],
  'session.age': ['time since the session began', 'el tiempo desde el inicio de la sesión'],
  'session.idle': ['time since the previous event of the session', 'el tiempo desde el evento anterior de la sesión'],
  'session.logins': ['logins of the session', 'el número de accesos de la sesión'],
  'session.operations': ['operations of the session', 'el número de operaciones de la sesión'],
  'session.ipChanged': ['address changed in the session', 'cambio de dirección IP en la sesión'],
  'session.subnetChanged': ['network changed in the session', 'cambio de red en la sesión'],
  'session.closedBy': ['what closed the session', 'el motivo del cierre de la sesión'],
  'session.closedFor': ['time since the session was closed', 'el tiempo desde el cierre de la sesión'],
  'session.stepUpPassed': ['step-up passed in the session', 'verificación adicional superada en la sesión'],
  'device.id': ['device', 'el dispositivo'],
  'device.reported': ['device data reported', 'datos del dispositivo recibidos'],
  'device.state': ['state of the device data', 'el estado de los datos del dispositivo'],
  'device.idFresh': ['device with a fresh id', 'dispositivo con identificador reciente'],
  'device.proof': ['proof of the device', 'la prueba del dispositivo'],
  'device.age': ['age of the device data', 'la antigüedad de los datos del dispositivo'],
  'device.automation': ['browser driven by a program', 'navegador dirigido por un programa'],
  'device.tampered': ['modified browser', 'navegador modificado'],
  'device.timezoneOffset': ['time zone of the device, in minutes', 'la zona horaria del dispositivo, en minutos'],
  'device.headless': ['browser without a person', 'navegador sin persona'],
  'device.virtual': ['virtual machine', 'máquina virtual'],
  'device.platform': ['platform of the device', 'la plataforma del dispositivo'],
  'device.os': ['operating system', 'el sistema operativo'],
  'device.browser': ['browser', 'el navegador'],
  'device.browserVersion': ['version of the browser', 'la versión del navegador'],
  'device.browserBehind': ['versions that the browser is behind', 'el número de versiones de atraso del navegador'],
  'device.timezoneMismatch': [
    'time zone of the device unlike that of the country',
    'zona horaria del dispositivo distinta a la del país',
  ],
  'device.languageMismatch': [
    'language of the device unlike that of the country',
    'idioma del dispositivo distinto al del país',
  ],
  'device.match': ['how the device was recognised', 'la forma en que se reconoció el dispositivo'],
  'device.score': ['similarity of the device, of 100', 'la semejanza del dispositivo, de 100'],
  'device.isNew': ['new device', 'dispositivo nuevo'],
  'device.knownFor': [
    'time since the first login with the device',
    'el tiempo desde el primer acceso con el dispositivo',
  ],
  'device.lastSeen': [
    'time since the previous login with the device',
    'el tiempo desde el acceso anterior con el dispositivo',
  ],
  'device.logins': ['logins with the device', 'el número de accesos con el dispositivo'],
  'device.trusted': ['trusted device', 'dispositivo de confianza'],
  'device.keyChanged': ['key of the device changed', 'cambio de llave del dispositivo'],
  'ip.address': ['address', 'la dirección IP'],
  'ip.network': ['network', 'la red'],
  'ip.subnet': ['network', 'la red'],
  'ip.country': ['country', 'el país'],
  'ip.continent': ['continent', 'el continente'],
  'ip.city': ['city', 'la ciudad'],
  'ip.asn': ['network operator', 'el operador de la red'],
  'ip.valid': ['valid address', 'dirección IP válida'],
  'ip.version': ['version of the address', 'la versión de la dirección IP'],
  'ip.kind': ['kind of address', 'el tipo de dirección IP'],
  'ip.hosting': ['address of a data centre', 'dirección IP de un centro de datos'],
  'ip.vpn': ['address of a VPN', 'dirección IP de una VPN'],
  'ip.tor': ['address of Tor', 'dirección IP de Tor'],
  'ip.relay': ['address of a privacy relay', 'dirección IP de un servicio de privacidad'],
  'ip.proxy': ['address of a proxy', 'dirección IP de un proxy'],
  'ip.anonymous': ['address that hides the place', 'dirección IP que oculta el lugar'],
  'ip.latitude': ['latitude', 'la latitud'],
  'ip.longitude': ['longitude', 'la longitud'],
  'ip.accuracyKm': ['uncertainty of the place, in km', 'la incertidumbre del lugar, en km'],
  'ip.isNew': ['new address', 'dirección IP nueva'],
  'ip.networkIsNew': ['new network', 'red nueva'],
  'ip.countryIsNew': ['new country', 'país nuevo'],
  'client.loginSurprise': ['how unusual this login is, in bits', 'lo inusual de este acceso, en bits'],
  'client.loginSurprisePlace': [
    'how unusual the place of this login is, in bits',
    'lo inusual del lugar de este acceso, en bits',
  ],
  'client.loginSurpriseSoftware': [
    'how unusual the software of this login is, in bits',
    'lo inusual del software de este acceso, en bits',
  ],
  'client.loginSurpriseHour': [
    'how unusual the hour of this login is, in bits',
    'lo inusual de la hora de este acceso, en bits',
  ],
  'travel.km': ['distance from the last login, in km', 'la distancia desde el último acceso, en km'],
  'travel.hours': ['hours since the last login', 'las horas desde el último acceso'],
  'travel.kmh': ['speed of travel since the last login, in km/h', 'la velocidad desde el último acceso, en km/h'],
  'travel.impossible': ['impossible travel', 'viaje imposible'],
};

/** `undefined` for a fact without words. */
export function factNoun(path: string, { language, reader }: Telling): string | undefined {
  const [en, es] = facts[path] ?? [];
  if (language === 'en') return en?.replaceAll("{client's}", reader === 'client' ? 'your' : "this client's");
  const isClient = reader === 'client';
  return es
    ?.replaceAll(/\{(el|la)\}/g, (_, article: string) => (isClient ? 'su' : article))
    .replaceAll('{del cliente}', isClient ? '' : ' de este cliente');
}

/** Different values of a fact: `different payees`. */
const different: Readonly<Record<string, InWords>> = {
  'client.id': { en: 'different clients', es: 'clientes distintos' },
  'payee.id': { en: 'different payees', es: 'beneficiarios distintos' },
  'payee.bank': { en: 'different banks of payees', es: 'bancos distintos de beneficiarios' },
  'device.id': { en: 'different devices', es: 'dispositivos distintos' },
  'ip.address': { en: 'different addresses', es: 'direcciones IP distintas' },
  'ip.network': { en: 'different networks', es: 'redes distintas' },
  'ip.country': { en: 'different countries', es: 'países distintos' },
  'session.id': { en: 'different sessions', es: 'sesiones distintas' },
  'creditCard.hash': { en: 'different cards', es: 'tarjetas distintas' },
  'account.accountNumber': { en: 'different accounts', es: 'cuentas distintas' },
  'order.currency': { en: 'different currencies', es: 'monedas distintas' },
  'order.amount': { en: 'different amounts', es: 'montos distintos' },
  'transaction.category': { en: 'different categories', es: 'categorías distintas' },
  'transaction.type': { en: 'different types of operation', es: 'tipos de operación distintos' },
  'event.hour': { en: 'different hours of the day', es: 'horas del día distintas' },
};

/** @param path of a fact, or the first of those that name the same entity */
export function differentValues(path: string): InWords | undefined {
  return different[path];
}
