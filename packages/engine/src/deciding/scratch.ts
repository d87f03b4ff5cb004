import { EncodedBody } from '../clients/encoded-body.ts';
import { GroupRunner } from '../features/group-runner.ts';

/** Working memory of the decisions of one state, reused for every event. Not part of the state. */
export class DecidingScratch {
  /** The body of the current event. */
  readonly body = new EncodedBody();
  readonly groups = new GroupRunner();
  /** Reasons of an event's rules that met a missing fact; the result is copied at its exact length. */
  readonly missed: number[] = [];
  /**
   * Printed facts of the event whose rules are applied, by slot, so that each is printed once. Printing a map of
   * details takes as long as everything else together.
   */
  readonly printed = new Map<number, string>();
}
