/** One step of a story, in milliseconds after its start. */
export type Step = { readonly atMs: number; readonly user: string; readonly session: string } & (
  | {
      readonly does: 'logIn';
      readonly ip: string;
      /** `false`: the device SDK failed or is absent. */
      readonly hasDevice?: boolean;
    }
  | { readonly does: 'logOut' }
  | {
      readonly does: 'operate';
      readonly category: string;
      /** In the bank's currency, decimal digits; absent if no money moves. */
      readonly amount?: string;
      readonly payee?: Payee;
      /** The operation's own time relative to the step: negative if reported late. */
      readonly datedMs?: number;
    }
);

export interface Payee {
  readonly bank: string;
  readonly account: string;
}

/** An action that Ringfence must request exactly once. */
export interface ExpectedAction {
  /** The rule that fires, by its number in the starter policy. */
  readonly reason: number;
  readonly action: number;
  /** The user of the action. */
  readonly user: string;
  /** The bank's response. */
  readonly executed: boolean;
}

/** A fraud as data: its steps, and the actions that Ringfence must request. No other action may arrive. */
export interface Story {
  readonly name: string;
  /** One sentence for the viewer. */
  readonly tells: string;
  readonly steps: readonly Step[];
  readonly expected: readonly ExpectedAction[];
}
