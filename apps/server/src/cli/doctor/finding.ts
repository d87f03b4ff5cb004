/** The result of one check. */
export interface Finding {
  readonly what: string;
  readonly state: 'good' | 'unwise' | 'bad';
  readonly detail: string;
  /** How to fix it; absent if the state is good. */
  readonly mend?: string;
}

export function good(what: string, detail: string): Finding {
  return { what, state: 'good', detail };
}

export function unwise(what: string, detail: string, mend: string): Finding {
  return { what, state: 'unwise', detail, mend };
}

export function bad(what: string, detail: string, mend: string): Finding {
  return { what, state: 'bad', detail, mend };
}
