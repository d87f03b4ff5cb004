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

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** The maximum page size of the service. */
const pageMax = 200;
const timeoutMs = 5_000;

/** The management API of the demo's service, for the demo's workspace. */
export class Management {
  readonly #base: string;
  readonly #token: string;

  constructor(managementUrl: string, token: string) {
    this.#base = `${managementUrl}/management/v1/workspaces/${workspaceName}:production`;
    this.#token = token;
  }

  events(): Promise<readonly SeenEvent[]> {
    return this.#all<SeenEvent>('events');
  }

  actions(): Promise<readonly SeenAction[]> {
    return this.#all<SeenAction>('actions');
  }

  /** @throws Error with the response of the service if its status is not 200 */
  async get(path: string): Promise<unknown> {
    const response = await fetch(`${this.#base}/${path}`, {
      headers: { authorization: `Bearer ${this.#token}` },
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status !== 200) throw new Error(`GET ${path} answered ${response.status}: ${await response.text()}`);
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
