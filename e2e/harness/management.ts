/** The RINGFENCE_ADMIN_TOKEN of this harness's services. */
export const adminToken = `whole-system-admin-token-${'7'.repeat(20)}`;

/** An event as the management API shows it; the members that tests look at. */
export interface SeenEvent {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly client?: string;
  readonly clientRef?: string;
  readonly session?: string;
  readonly matched?: boolean;
  readonly mismatch?: string;
  readonly fired: readonly number[];
  /** Of one requested event. */
  readonly derived?: Readonly<Record<string, string | number | boolean>>;
}

export interface SeenAction {
  readonly id: string;
  readonly event: string;
  readonly reason: number;
  readonly action: number;
  readonly state: string;
  readonly attempts: number;
}

/** The management API of one service, for the only workspace that installations of this harness have. */
export class Management {
  readonly #url: string;
  readonly #workspace: string;

  constructor(url: string, workspace = 'bank:production') {
    this.#url = url;
    this.#workspace = workspace;
  }

  /** `undefined` while it is unknown or undecided. */
  async event(id: string): Promise<SeenEvent | undefined> {
    const response = await this.request('GET', `events/${id}`);
    return response.status === 200 ? ((await response.json()) as SeenEvent) : undefined;
  }

  async events(filter: Readonly<Record<string, string>> = {}): Promise<readonly SeenEvent[]> {
    return this.#items<SeenEvent>('events', filter);
  }

  /** All events, page by page, newest first. */
  async *allEvents(): AsyncGenerator<SeenEvent> {
    let cursor: string | undefined;
    do {
      const page = await this.#page<SeenEvent>('events', cursor === undefined ? {} : { cursor });
      yield* page.items;
      cursor = page.next;
    } while (cursor !== undefined);
  }

  async actions(filter: Readonly<Record<string, string>> = {}): Promise<readonly SeenAction[]> {
    return this.#items<SeenAction>('actions', filter);
  }

  async post(path: string, body: object): Promise<number> {
    const response = await this.request('POST', path, body);
    await response.arrayBuffer();
    return response.status;
  }

  /** Everything under `/metrics`. */
  async metrics(): Promise<string> {
    return (await fetch(`${this.#url}/metrics`)).text();
  }

  request(method: string, path: string, body?: object): Promise<Response> {
    return fetch(`${this.#url}/management/v1/workspaces/${this.#workspace}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${adminToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** The newest page of a list. */
  async #items<Item>(list: string, filter: Readonly<Record<string, string>>): Promise<readonly Item[]> {
    return (await this.#page<Item>(list, filter)).items;
  }

  /** @throws Error with the response if it is not a page */
  async #page<Item>(list: string, query: Readonly<Record<string, string>>): Promise<Page<Item>> {
    const response = await this.request('GET', `${list}?${new URLSearchParams({ limit: '200', ...query }).toString()}`);
    if (response.status !== 200) throw new Error(`${list}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Page<Item>;
  }
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}
