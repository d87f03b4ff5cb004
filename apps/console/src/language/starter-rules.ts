/** Spanish names of the starter policy's rules, by their English names. Rules that a user renamed keep their names. */
export const starterRules: Readonly<Record<string, string>> = {
  'Operation without a session': 'Operación sin sesión',
  'Operation long after logout': 'Operación mucho después del cierre de sesión',
  'Operation in a session of another client': 'Operación en la sesión de otro cliente',
  'Session taken over from another address': 'Sesión tomada desde otra dirección IP',
  'First payment to a payee in a session whose address changed':
    'Primer pago a un beneficiario en una sesión que cambió de dirección IP',
  'Operation in a session that was closed on our request': 'Operación en una sesión cerrada a petición nuestra',
  'Account takeover: new address, new payee, far above the habit':
    'Toma de cuenta: dirección IP nueva, beneficiario nuevo, monto muy superior al habitual',
  'Logins of one client from many addresses': 'Inicios de sesión de un cliente desde muchas direcciones IP',
  'Many logins of one client within minutes': 'Muchos inicios de sesión de un cliente en minutos',
  'Many clients log in from one address': 'Muchos clientes inician sesión desde una dirección IP',
  'Dormant client pays a new payee': 'Cliente inactivo paga a un beneficiario nuevo',
  'Device data repeatedly missing': 'Faltan repetidamente los datos del dispositivo',
  'Many clients log in from one address without device data':
    'Muchos clientes inician sesión desde una dirección IP sin datos del dispositivo',
  'Login without a valid IP address': 'Inicio de sesión sin dirección IP válida',
  'Activity of a blocked client': 'Actividad de un cliente bloqueado',
  'Burst of payments': 'Ráfaga de pagos',
  'Payments to many payees within minutes': 'Pagos a muchos beneficiarios en minutos',
  'First payment to a payee, far above the habit': 'Primer pago a un beneficiario, muy superior al monto habitual',
  'A new payee within a minute of the login': 'Beneficiario nuevo en el primer minuto de la sesión',
  'Several payments to the same payee': 'Varios pagos al mismo beneficiario',
  'Daily total above three times the previous month': 'Total del día superior al triple del mes anterior',
  'A small test payment, then a large one': 'Pago pequeño de prueba y después uno grande',
  'Mule payee: a new account that many clients pay': 'Cuenta mula: cuenta nueva a la que pagan muchos clientes',
  'Payment to a known mule': 'Pago a una cuenta mula conocida',
};
