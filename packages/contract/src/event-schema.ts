import Type from 'typebox';
import type { EventKind } from './event.ts';
import {
  optionalCurrency,
  optionalDate,
  optionalDecimal,
  optionalInteger,
  optionalObject,
  optionalProse,
  optionalText,
  optionalTexts,
  readsAsAddress,
  requiredInteger,
  requiredText,
  sessionLengthMax,
} from './field-schema.ts';

/**
 * The three bodies of the wire (interface specification 2.1 to 2.3) as JSON Schema: the only source of validation, of
 * the types `LoginBody`, `LogoutBody` and `OperationBody`, and of the OpenAPI document. Unknown members are allowed and
 * kept. Lengths count characters (Unicode code points).
 */

/** Databases and clients of banks store such identifiers in signed 32-bit integers. */
const channelId = requiredInteger({
  minimum: 0,
  maximum: 2_147_483_647,
  description: 'Numeric identifier of the digital channel.',
  example: 1,
});
/** A compact JWE of up to 48 KiB. */
const deviceDataLengthMax = 49_152;
/** Leaves room for a list of proxies before the address, which is accepted but is not a valid address. */
const publicIpLengthMax = 512;
/** Shorter than any card number, so that none fits. */
const cardPartLengthMax = 12;

const device = 'Encrypted device information produced by the device SDK.';
const address = {
  lengthMax: publicIpLengthMax,
  free: true,
  description:
    'Public IP address from which the user accessed the channel. Blanks, brackets, a port and a zone id are removed, and an address is kept in its canonical form: `203.0.113.7` for `[::FFFF:203.0.113.7]:50001`. An invalid address is accepted and recorded as a fact.',
  example: '203.0.113.7',
};

const foldedCode =
  'Spaces around it are removed and letters become capitals; the response then contains a warning, as it does for a code that ISO 4217 does not have.';

/** Of a login or a logout. */
const entryTime = optionalDate({
  description:
    'Date and time of the event, ISO 8601, years 2000 to 2099, for a backend that reports late. Without a time zone, the time zone of the workspace applies. ' +
    'The arrival counts instead if it is ahead or more than 24 hours old.',
  example: '2026-11-21T10:15:30-06:00',
});

const loginSchema = Type.Object(
  {
    channelId,
    user: requiredText({
      lengthMin: 1,
      description: 'Unique identifier of the user who logged in.',
      example: 'client-000123',
    }),
    session: optionalText({
      lengthMax: sessionLengthMax,
      description: 'Session identifier.',
      example: '3f0c2c1e-7a34-4c58-9a41-6f8f0f5f2a11',
    }),
    publicIp: Type.Unsafe<string>({ ...requiredText(address), ...readsAsAddress }),
    data: requiredText({
      lengthMax: deviceDataLengthMax,
      description: `${device} "" when the SDK failed on the device.`,
      example: 'eyJhbGciOiJSU0EtT0FFUC0yNTYi.example',
    }),
    timestamp: entryTime,
  },
  { title: 'Login event', description: 'A user logged in.' },
);

const logoutSchema = Type.Object(
  {
    channelId,
    user: requiredText({
      lengthMin: 1,
      description: 'Unique identifier of the user who logged out.',
      example: 'client-000123',
    }),
    session: Type.Unsafe<string>({
      ...requiredText({
        lengthMax: sessionLengthMax,
        description: 'Session identifier; "" closes the unnamed session.',
        example: '3f0c2c1e-7a34-4c58-9a41-6f8f0f5f2a11',
      }),
      'x-empty-is-absent': true,
    }),
    publicIp: Type.Optional(Type.Unsafe<string | null>({ ...optionalText(address), ...readsAsAddress })),
    data: optionalText({
      lengthMax: deviceDataLengthMax,
      description: device,
      example: 'eyJhbGciOiJSU0EtT0FFUC0yNTYi.example',
    }),
    timestamp: entryTime,
  },
  { title: 'Logout event', description: 'A user logged out.' },
);

const transaction = optionalObject('The transaction.', {
  category: optionalText({ free: true, description: 'Kind of operation, in free text.', example: 'transfer' }),
  type: optionalText({ free: true, description: 'For example a transfer scheme.', example: 'SPEI' }),
  description: optionalProse({ description: 'Description.', example: 'Invoice 2026-1187' }),
  reference: optionalText({ free: 'mask', description: 'Reference of the operation.', example: 'REF-0001187' }),
  date: optionalDate({
    description: 'Date and time of the operation, ISO 8601. Used when `timestamp` is missing.',
    example: '2026-11-21T10:15:30',
  }),
  details: optionalTexts({
    description: 'Further details, as strings.',
    example: { concept: 'invoice', branch: '0042' },
  }),
});

const account = optionalObject('The client and the account that the operation is ordered from.', {
  client: optionalText({
    description: 'Client identifier; the same as `user` of the login.',
    example: 'client-000123',
  }),
  clientRefId: optionalInteger({
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Additional numeric identifier of the client.',
    example: 123456,
  }),
  clientRefIdStr: optionalText({ description: 'The same identifier as a string.', example: '123456' }),
  email: optionalText({ description: 'E-mail address of the client.', example: 'maria@example.com' }),
  phoneNumber: optionalText({ description: 'Phone number of the client.', example: '+525512345678' }),
  session: optionalText({
    lengthMax: sessionLengthMax,
    description: 'Session identifier; the same as `session` of the login.',
    example: '3f0c2c1e-7a34-4c58-9a41-6f8f0f5f2a11',
  }),
  accountNumber: optionalText({ description: 'Account number.', example: '012180001183599719' }),
  bank: optionalText({ description: 'Bank of the account.', example: 'BANK-A' }),
});

const order = optionalObject('The order.', {
  amount: optionalDecimal({
    description:
      'Amount: at most 18 digits before and 6 after the decimal point, all of which are kept. More decimals are rounded half-even to 6, with a warning. A decimal, not a binary fraction: use BigDecimal, decimal or the like.',
    example: 1500.5,
  }),
  currency: optionalCurrency({ description: `Currency code. ${foldedCode}`, example: 'MXN' }),
});

const accountTo = optionalObject('The receiving account.', {
  client: optionalText({ description: 'Client identifier of the receiver.', example: 'client-000987' }),
  accountNumber: optionalText({ description: 'Account number of the receiver.', example: '646180157000000004' }),
  bank: optionalText({ description: 'Bank of the receiver.', example: 'BANK-B' }),
});

/** Both sides of a transfer between accounts have the same members. */
const side = (whose: string, bank: string) => ({
  account: optionalText({ description: `Account number of the account ${whose}.`, example: '012180001183599719' }),
  bank: optionalText({ description: `Bank of the account ${whose}.`, example: bank }),
  currency: optionalCurrency({ description: `Currency of the account ${whose}. ${foldedCode}`, example: 'MXN' }),
});

const creditCard = optionalObject('The card, for card operations. Never the complete card number.', {
  bin: optionalText({
    lengthMax: cardPartLengthMax,
    description: 'First digits of the card number.',
    example: '411111',
  }),
  hash: optionalText({
    description: 'Hash of the card number. It is replaced by a keyed hash before anything is stored.',
    example: '5d41402abc4b2a76b9719d911017c592',
  }),
  last4Digits: optionalText({
    lengthMax: cardPartLengthMax,
    description: 'Last four digits of the card number.',
    example: '1111',
  }),
  token: optionalText({ description: 'Token of the card.', example: 'tok_7f3a' }),
});

const operationSchema = Type.Object(
  {
    channelId,
    timestamp: optionalDate({
      description:
        'Date and time of the transaction, ISO 8601, years 2000 to 2099. Without a time zone, the time zone of the workspace applies. ' +
        'More than 24 hours old or 5 minutes ahead, the operation counts at its arrival. ' +
        'Declared required: if it is missing, `transaction.date` is used and the response contains a warning.',
      example: '2026-11-21T10:15:30-06:00',
    }),
    transaction,
    account,
    order,
    accountTo,
    debitFrom: optionalObject('The account that is debited.', side('debited', 'BANK-A')),
    creditTo: optionalObject('The account that is credited.', side('credited', 'BANK-B')),
    creditCard,
  },
  {
    title: 'Operation event',
    // As a rule over members (`anyOf`) generators make a type of its own for each case.
    description:
      'A transaction or another operation of a client. `timestamp` or `transaction.date` must be there; an operation without both is refused.',
  },
);

/** Bodies as the sender writes them. Parsed, they are `Login`, `Logout` and `Operation`. */
export type LoginBody = Type.Static<typeof loginSchema>;
export type LogoutBody = Type.Static<typeof logoutSchema>;
export type OperationBody = Type.Static<typeof operationSchema>;

export const eventSchemas = { login: loginSchema, logout: logoutSchema, operation: operationSchema } satisfies Record<
  EventKind,
  Type.TObject
>;
