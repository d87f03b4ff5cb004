import { workspaceName } from './installation.ts';

/** What the demo looks at of an event and of an action; the service says more. */
export interface SeenEvent {
  readonly id: string;
  readonly status: string;
}

export interface SeenAction {
  readonly id: string;
  readonly state: string;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** The most that the service gives in one page. */
const pageMax = 200;
const timeoutMs = 5_000;

/** The management API of the demo's service, as far as the demo asks it. */
export class Management {
  readonly #base: string;
  readonly #token: string;
  readonly #workspace = `workspaces/${workspaceName}:production`;

  constructor(managementUrl: string, token: string) {
    this.#base = `${managementUrl}/management/v1`;
    this.#token = token;
  }

  events(): Promise<readonly SeenEvent[]> {
    return this.#all<SeenEvent>('events');
  }

  actions(): Promise<readonly SeenAction[]> {
    return this.#all<SeenAction>('actions');
  }

  /** About the demo's workspace. @throws Error with the service's answer when it is no success */
  get(path: string): Promise<unknown> {
    return this.#ask(`${this.#workspace}/${path}`);
  }

  /** Makes an account that may do everything. @returns where its owner sets a password, below the management URL */
  async invite(email: string): Promise<string> {
    const roles = [{ workspace: '*', roles: ['administrator'] }];
    const made = (await this.#ask('accounts', { email, name: 'You', roles })) as { invitation: { path: string } };
    return made.invitation.path;
  }

  /** GET, or POST where there is something to tell. */
  async #ask(path: string, body?: object): Promise<unknown> {
    const authorization = `Bearer ${this.#token}`;
    const response = await fetch(`${this.#base}/${path}`, {
      ...(body === undefined
        ? { headers: { authorization } }
        : {
            method: 'POST',
            headers: { authorization, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
    return response.json();
  }

  async #all<Item>(list: string): Promise<readonly Item[]> {
    const items: Item[] = [];
    let cursor = '';
    for (;;) {
      const page = (await this.get(`${list}?limit=${pageMax}${cursor}`)) as Page<Item>;
      items.push(...page.items);
      if (page.next === undefined) return items;
      cursor = `&cursor=${encodeURIComponent(page.next)}`;
    }
  }
}
