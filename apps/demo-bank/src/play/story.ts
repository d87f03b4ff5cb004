/** One thing that somebody does at the bank, so many milliseconds after the story's beginning. */
export type Step = { readonly atMs: number; readonly user: string; readonly session: string } & (
  | {
      readonly does: 'logIn';
      readonly ip: string;
      /** `false`: the device SDK failed, or there is none. */
      readonly hasDevice?: boolean;
    }
  | { readonly does: 'logOut' }
  | {
      readonly does: 'operate';
      readonly category: string;
      /** In the bank's currency, decimal digits; absent for what moves no money. */
      readonly amount?: string;
      readonly payee?: Payee;
      /** The operation's own time, seen from the step: negative for what is reported late. */
      readonly datedMs?: number;
    }
);

export interface Payee {
  readonly bank: string;
  readonly account: string;
}

/** An action that Ringfence must ask for, exactly once. */
export interface ExpectedAction {
  /** The rule that fires; its number in the starter policy. */
  readonly reason: number;
  readonly action: number;
  /** Whose action it is. */
  readonly user: string;
  /** How the bank answers. */
  readonly executed: boolean;
}

/** A fraud, told as data: what happens, and what Ringfence must ask the bank to do about it. Nothing else may arrive. */
export interface Story {
  readonly name: string;
  /** One sentence for whoever watches. */
  readonly tells: string;
  readonly steps: readonly Step[];
  readonly expected: readonly ExpectedAction[];
}
