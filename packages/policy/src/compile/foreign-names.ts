/**
 * Names of facts in other products, in lower case, with the name used here. Spelling correction can't map one to the
 * other.
 */
const facts: Readonly<Record<string, readonly string[]>> = {
  'order.amount': ['total', 'value', 'order.total', 'order.value', 'order.sum', 'order.price', 'transaction.value'],
  'payee.id': [
    'beneficiary',
    'recipient',
    'transaction.payee',
    'transaction.beneficiary',
    'transaction.recipient',
    'payee.account',
    'payee.accountnumber',
    'payee.number',
    'payee.iban',
    'beneficiary.id',
    'recipient.id',
  ],
  'payee.id, or transaction.details["…"] for a name': [
    'payee.name',
    'beneficiary.name',
    'recipient.name',
    'merchant.name',
    'accountto.name',
    'creditto.name',
  ],
  'accountTo.accountNumber': ['accountto.iban', 'accountto.account', 'accountto.number'],
  'event.at': ['event.time', 'event.timestamp', 'event.date', 'transaction.time', 'transaction.timestamp'],
  'event.weekday': ['event.day', 'event.dayofweek'],
  'client.logins': ['login.count', 'logins', 'user.logins'],
  'client.firstSeen': ['client.age', 'client.since', 'account.age', 'user.age'],
  'session.age': ['session.duration', 'session.length'],
  'travel.km': ['distance', 'travel.distance'],
  'travel.kmh': ['speed', 'travel.speed'],
  'device.isNew': ['device.new', 'newdevice'],
  true: ['true', 'yes'],
  false: ['false', 'no'],
  'has(x), or !has(x) if it is missing': ['undefined', 'nil', 'none', 'null', 'missing', 'blank'],
};

const byWord: ReadonlyMap<string, string> = new Map(
  Object.entries(facts).flatMap(([meant, words]) => words.map((word) => [word, meant] as const)),
);

/** The fact meant by a word of another language, or by another product's name for it. */
export function wordFromElsewhere(word: string): string | undefined {
  return byWord.get(inSmallLetters(word));
}

/** Lower-cased for a suggestion only; no decision depends on it. */
export function inSmallLetters(word: string): string {
  return word.toLowerCase();
}
