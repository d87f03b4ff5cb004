import { patienceMs } from '../play/patience.ts';
import { workspaceName } from './installation.ts';

/** The fields of an event and of an action that the demo reads. */
export interface SeenEvent {
  readonly id: string;
  readonly status: string;
}

export interface SeenAction {
  readonly id: string;
  readonly state: string;
}

export interface SeenHold {
  readonly id: string;
  readonly reason: number;
  readonly amount?: string;
  readonly members: number;
  /** What happens at the deadline: `release`, `reject` or `keep`. */
  readonly otherwise: string;
  /** Present once a person has decided. */
  readonly decision?: object;
}

export interface SeenOutcome {
  readonly outcome: string;
  readonly reason?: string;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** The maximum page size of the service. */
const pageMax = 200;

/** The management API of the demo's service, for the demo's workspace. */
export class Management {
  readonly #root: string;
  readonly #base: string;
  readonly #token: string;

  constructor(managementUrl: string, token: string) {
    this.#root = `${managementUrl}/management/v1`;
    this.#base = `${this.#root}/workspaces/${workspaceName}:production`;
    this.#token = token;
  }

  events(): Promise<readonly SeenEvent[]> {
    return this.#all<SeenEvent>('events');
  }

  actions(): Promise<readonly SeenAction[]> {
    return this.#all<SeenAction>('actions');
  }

  openHolds(): Promise<readonly SeenHold[]> {
    return this.#all<SeenHold>('holds', '&state=open');
  }

  outcomes(state: 'waiting' | 'unmatched'): Promise<readonly SeenOutcome[]> {
    return this.#all<SeenOutcome>('outcomes', `&state=${state}`);
  }

  async decide(hold: string, decision: 'release' | 'reject', comment: string): Promise<void> {
    await this.#request('POST', `${this.#base}/holds/${hold}/decision`, { decision, comment });
  }

  /** Makes a token for this workspace. @returns its text */
  async makeToken(name: string, scopes: readonly string[]): Promise<string> {
    const body = { name, scopes, workspaces: [`${workspaceName}:production`], days: 1 };
    return ((await this.#request('POST', `${this.#root}/tokens`, body)) as { readonly text: string }).text;
  }

  /** @throws Error with the response of the service if it is a refusal */
  get(path: string): Promise<unknown> {
    return this.#request('GET', `${this.#base}/${path}`);
  }

  async #request(method: 'GET' | 'POST', url: string, body?: object): Promise<unknown> {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patienceMs),
    });
    if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${await response.text()}`);
    return response.json();
  }

  async #all<Item>(list: string, filter = ''): Promise<readonly Item[]> {
    const items: Item[] = [];
    let cursor = '';
    for (;;) {
      const page = (await this.get(`${list}?limit=${pageMax}${filter}${cursor}`)) as Page<Item>;
      items.push(...page.items);
      if (page.next === undefined) return items;
      cursor = `&cursor=${encodeURIComponent(page.next)}`;
    }
  }
}
