/** What the bank sends in the recording. */
export const productionKey = `conformance-production-${'7'.repeat(20)}`;
export const developmentKey = `conformance-development-${'7'.repeat(20)}`;

/** Replaced in a body by the time at which it is sent: the service refuses times that are too old. */
export const now = '<now>';

export interface RecordedRequest {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Rules that answer `transaction.type`; each action of the interface, a custom one, templates, and what sends nothing. */
export const policy = {
  'policy.yaml': `actions: { 6: Ask to confirm, 42: Call the client }
rules:
  - { reason: 101, name: Block, on: [operation], when: transaction.type == "block", then: { action: 1, message: "You are blocked" } }
  - { reason: 102, name: Close, on: [operation], when: transaction.type == "close", then: { action: 2 } }
  - { reason: 103, name: Mail, on: [operation], when: transaction.type == "mail", then: { action: 3, format: html, message: "<p title=\\"{{transaction.reference}}\\">{{transaction.description}}</p>" } }
  - { reason: 104, name: Text, on: [operation], when: transaction.type == "text", then: { action: 4, message: "{{order.amount}} {{order.currency}} {{transaction.description}} {{accountTo.bank}}" } }
  - { reason: 105, name: Both, on: [operation], when: transaction.type == "both", then: { action: 5, message: "¿Fue usted, {{account.client}}? 🏦" } }
  - { reason: 106, name: Custom, on: [operation], when: transaction.type == "custom", then: { action: 42, message: "Call {{client.id}}" } }
  - { reason: 107, name: Several, on: [operation], when: transaction.type == "several", then: [{ action: 6 }, { action: 4, message: "one" }, { action: 3, message: "two" }] }
  - { reason: 108, name: In shadow, on: [operation], when: transaction.type == "shadow", then: { action: 6 }, mode: shadow }
  - { reason: 109, name: A login, on: [login], when: publicIp == "203.0.113.66", then: { action: 6, message: "{{publicIp}}" } }
  - { reason: 110, name: A logout, on: [logout], when: publicIp == "203.0.113.66", then: { action: 6 } }
  - { reason: 99999, name: No session, on: [operation], when: session.mismatch == "noLogin", then: { action: 2, message: "{{transaction.reference}}" } }
`,
};

type Added = readonly [name: string, path: string, body: object | string, headers?: Readonly<Record<string, string>>];

/** Of a workspace in development the paths begin with `/api-dev`. */
export function requestsOf(environment: 'production' | 'development'): readonly RecordedRequest[] {
  const [prefix, key, otherKey] =
    environment === 'production'
      ? ['/api', productionKey, developmentKey]
      : ['/api-dev', developmentKey, productionKey];
  const requests: RecordedRequest[] = [];
  const add = (...[name, path, body, headers = {}]: Added): void => {
    requests.push({
      name,
      path: `${prefix}/v5/analytics/${path}`,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-request-id': `conformance-${requests.length}`,
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  };

  add('a login in the app', 'app/login', login('ana'));
  add('a login in the web channel', 'web/login', { ...login('josé ñandú'), channelId: 2 });
  add('a login without a session', 'app/login', { channelId: 1, user: 'eva', publicIp: '2001:db8::7', data: '' });
  add('a login that fires a rule', 'app/login', { ...login('bob'), publicIp: '203.0.113.66' });
  add('a login that fires a rule, without a session', 'app/login', {
    channelId: 1,
    user: 'lea',
    publicIp: '203.0.113.66',
    data: '',
  });
  add('an operation with every member', 'app/operation', operation('ana', 'plain'));
  add('an operation with the least members', 'app/operation', { channelId: 1, timestamp: now, account: visit('ana') });
  add('an operation in the form of the example', 'app/operation', {
    channelId: 1,
    transaction: { category: 'Transferencia', date: now },
    account: visit('ana'),
  });
  add('an operation with unknown members', 'app/operation', { ...operation('ana', 'plain'), more: { and: ['more'] } });
  for (const type of ['mail', 'text', 'both', 'custom', 'several', 'shadow', 'block', 'close'])
    add(
      `an operation of type ${type}`,
      'app/operation',
      operation(type === 'block' || type === 'close' ? 'bob' : 'ana', type),
    );
  add('an operation in the web channel', 'web/operation', { ...operation('josé ñandú', 'text'), channelId: 2 });
  add('an operation of a session that never began', 'app/operation', operation('nobody', 'stranger'));
  const once = { 'idempotency-key': 'once' };
  const keyed = operation('eve', 'plain');
  add('an operation under a key', 'app/operation', keyed, once);
  add('the same again', 'app/operation', keyed, once);
  add('another one under the same key', 'app/operation', { ...keyed, order: { amount: 2, currency: 'MXN' } }, once);
  const waiting = { prefer: 'wait=30' };
  add('an operation whose decision is waited for', 'app/operation', operation('ana', 'custom', 'W-1'), waiting);
  add('one without an action', 'app/operation', operation('ana', 'plain', 'W-2'), waiting);
  add('a logout', 'app/logout', { channelId: 1, ...visitor('eva'), session: 'session of eva' });
  add('a logout with every member', 'app/logout', { ...login('ana'), publicIp: '203.0.113.66' });

  add('a login without a key', 'app/login', login('ana'), { authorization: '' });
  add('a login with a wrong key', 'app/login', login('ana'), { authorization: 'Bearer wrong' });
  add("a login with the other environment's key", 'app/login', login('ana'), { authorization: `Bearer ${otherKey}` });
  add('a login without its members', 'app/login', {});
  add('a login with members of wrong types', 'app/login', { channelId: '1', user: 7, session: {}, publicIp: 'x' });
  add('a logout without its members', 'app/logout', {});
  add('an operation without its members', 'app/operation', {});
  add('an operation with members of wrong types', 'app/operation', {
    channelId: 1.5,
    timestamp: 'yesterday',
    account: { client: '', session: 1 },
    order: { amount: '12', currency: 5 },
  });
  add('a body that is no JSON', 'app/operation', '{"channelId": 1,');
  add('a body that is a list', 'app/operation', '[]');
  add('a body of another type', 'app/operation', 'channelId=1', { 'content-type': 'text/plain' });
  return requests;
}

const visitor = (user: string) => ({ user });
const visit = (client: string) => ({ client, session: `session of ${client}` });

function login(user: string): object {
  return { channelId: 1, user, session: `session of ${user}`, publicIp: '203.0.113.9', data: '' };
}

function operation(client: string, type: string, reference = `R-${type}`): object {
  return {
    channelId: 1,
    timestamp: now,
    transaction: {
      category: 'Transferencia',
      type,
      description: `"Renta" <b>& más</b> {{account.client}} \\ ${type}`,
      reference,
      date: now,
      details: { concept: 'renta', 'a key': 'válido' },
    },
    account: {
      ...visit(client),
      clientRefId: 90071992547409,
      clientRefIdStr: '90071992547409',
      email: 'ana@example.org',
      phoneNumber: '+525512345678',
      accountNumber: '012180001234567897',
      bank: 'BANK-A',
    },
    order: { amount: 1234.5, currency: 'MXN' },
    accountTo: { client: 'luis', accountNumber: '002180009876543210', bank: 'BANK-B' },
    debitFrom: { account: '1', bank: 'BANK-A', currency: 'MXN' },
    creditTo: { account: '2', bank: 'BANK-B', currency: 'USD' },
    creditCard: { bin: '411111', hash: 'abc', last4Digits: '1111', token: 'tok_1' },
  };
}
