/** One step of a story, in milliseconds after its start. */
export type Step = { readonly atMs: number; readonly user: string; readonly session: string } & (
  | {
      readonly does: 'logIn';
      readonly ip: string;
      /** `false`: the device SDK failed or is absent. */
      readonly hasDevice?: boolean;
      /** A telephone by a name of its own: the bank's app on it sends a real token. */
      readonly phone?: string;
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
  /** The user answers the step-up that the bank was asked for. */
  | { readonly does: 'confirm'; readonly method: string; readonly isPassed: boolean }
  /** The analyst decides the user's held payment. */
  | ({ readonly does: 'decide' } & HoldDecision)
);

/** What the analyst looks for among the held payments, and decides. */
export interface HoldDecision {
  /** The rule that held the payment. */
  readonly reason: number;
  readonly amount: string;
  /** Operations of the hold: the payment and its repeats. */
  readonly members: number;
  readonly decision: 'release' | 'reject';
  readonly comment: string;
}

export interface Payee {
  readonly bank: string;
  readonly account: string;
}

/** An action that Ringfence must request exactly as often as it says. */
export interface ExpectedAction {
  /** The rule that fires, by its number in the starter policy. */
  readonly reason: number;
  readonly action: number;
  /** The user of the action. */
  readonly user: string;
  /** The bank's response. */
  readonly executed: boolean;
  /** Default: once. */
  readonly times?: number;
}

/** A fraud as data: its steps, and the actions that Ringfence must request. No other action may arrive. */
export interface Story {
  readonly name: string;
  /** One sentence for the viewer. */
  readonly tells: string;
  readonly steps: readonly Step[];
  readonly expected: readonly ExpectedAction[];
}
