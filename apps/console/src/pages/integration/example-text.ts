export const exampleKinds = ['login', 'operation', 'logout'] as const;
export type ExampleKind = (typeof exampleKinds)[number];

export interface ExamplePlace {
  readonly origin: string;
  readonly environment: 'production' | 'development';
  /** "": a variable of the shell stands for it. */
  readonly key: string;
}

const bodies: Readonly<Record<ExampleKind, string>> = {
  login: '{"channelId":1,"user":"ana","session":"ana-1","publicIp":"203.0.113.7","data":""}',
  operation:
    '{"channelId":1,"account":{"client":"ana","session":"ana-1"},"order":{"amount":250.00,"currency":"MXN"},"accountTo":{"bank":"B1","accountNumber":"0001"}}',
  logout: '{"channelId":1,"user":"ana","session":"ana-1"}',
};

/** A request for a shell. The three belong together: the operation finds the session of the login. */
export function curlExample(kind: ExampleKind, { origin, environment, key }: ExamplePlace): string {
  const prefix = environment === 'production' ? '/api' : '/api-dev';
  return `curl -i ${origin}${prefix}/v5/analytics/app/${kind} \\
  -H "Authorization: Bearer ${key === '' ? '$RINGFENCE_KEY' : key}" \\
  -H 'Content-Type: application/json' \\
  -d '${bodies[kind]}'`;
}

/** The same with the client for Node.js, which waits for nothing and loses nothing. */
export function nodeExample({ origin, environment, key }: ExamplePlace): string {
  return `import { createRingfence } from '@ringfence/client';

const ringfence = createRingfence({
  baseUrl: '${origin}',
  environment: '${environment}',
  licenseKey: ${key === '' ? 'process.env.RINGFENCE_KEY' : `'${key}'`},
});

ringfence.login({ channelId: 1, user: 'ana', session: 'ana-1', publicIp: '203.0.113.7', data: '' });
ringfence.operation({
  channelId: 1,
  account: { client: 'ana', session: 'ana-1' },
  order: { amount: 250, currency: 'MXN' },
  accountTo: { bank: 'B1', accountNumber: '0001' },
});
await ringfence.close();`;
}
