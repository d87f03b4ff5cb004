import type { LightMyRequestResponse } from 'fastify';
import { documentedAnswer } from '../../../api/support/documented-answer.ts';
import type { Call, ManagementKit } from '../../../api/support/management-kit.ts';

/** A person's browser window: it keeps its cookies, and sends the CSRF token with every change. */
export interface Browser {
  readonly cookie: string | undefined;
  readonly csrf: string | undefined;
  call(method: string, path: string, call?: Call): Promise<LightMyRequestResponse>;
}

export function browser(kit: Pick<ManagementKit, 'app'>): Browser {
  const jar = new Map<string, string>();
  let csrf: string | undefined;
  return {
    get cookie() {
      return jar.get('__Host-ringfence');
    },
    get csrf() {
      return csrf;
    },
    call: async (method, path, { body, headers = {}, remoteAddress } = {}) => {
      const response = await kit.app.inject({
        method: method as 'GET',
        url: `/management/v1${path}`,
        headers: {
          host: 'console.example',
          ...(jar.size === 0 ? {} : { cookie: [...jar.values()].join('; ') }),
          ...(method === 'GET'
            ? {}
            : { origin: 'https://console.example', ...(csrf === undefined ? {} : { 'x-csrf-token': csrf }) }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
        ...(remoteAddress === undefined ? {} : { remoteAddress }),
      });
      documentedAnswer(method, path, response);
      for (const set of [response.headers['set-cookie'] ?? []].flat()) {
        const [pair = ''] = set.split(';', 1);
        const [name = ''] = pair.split('=', 1);
        if (set.includes('Max-Age=0')) jar.delete(name);
        else jar.set(name, pair);
      }
      const isJson = String(response.headers['content-type']).startsWith('application/json');
      if (response.statusCode < 300 && isJson) csrf = response.json<{ csrfToken?: string }>().csrfToken ?? csrf;
      return response;
    },
  };
}

export const password = 'correct horse battery staple';

/** Creates an account with these roles in the scene's workspace, or in all of them, and logs it in. */
export async function loggedIn(
  kit: ManagementKit,
  person: { readonly email: string; readonly roles: readonly string[]; readonly workspace?: string },
): Promise<Browser> {
  const { email, roles, workspace = kit.workspace.id } = person;
  const made = await kit.call('POST', '/accounts', {
    body: { email, name: email.split('@', 1)[0], roles: [{ workspace, roles }] },
  });
  const { token } = made.json<{ invitation: { token: string } }>().invitation;
  const window = browser(kit);
  await window.call('POST', '/session/invitation', { body: { token, password } });
  const entered = await window.call('POST', '/session', { body: { email, password } });
  if (entered.statusCode !== 201) throw new Error(`not logged in: ${entered.body}`);
  return window;
}
