import { parseJson, Problem } from '@ringfence/contract';
import type { AcceptedOutcome } from '../outcomes/accept-outcome.ts';
import type { Caller } from './callers.ts';
import { outcomeIdempotency } from './idempotency.ts';
import { orUnavailable } from './or-unavailable.ts';

export interface OutcomeIntake {
  readonly caller: Caller;
  readonly body: Uint8Array;
  readonly idempotencyKey: string | readonly string[] | undefined;
}

/**
 * Takes the report of an outcome from a license key. Resolves once it survives a crash.
 *
 * @throws Problem for an invalid body, an outcome that the key may not report, an idempotency key reused with another
 *   body, or an unavailable database
 */
export async function takeOutcome({
  caller: { workspace, keyId, cell },
  body,
  idempotencyKey,
}: OutcomeIntake): Promise<AcceptedOutcome> {
  const json = parseJson(body);
  if (!json.ok) throw new Problem('json.malformed', json.error.detail, { errors: [json.error] });
  const idempotency = outcomeIdempotency(idempotencyKey, { indexKey: workspace.secrets.index, body: json.value });
  const author = `license key ${keyId}`;
  return orUnavailable(cell.acceptOutcome(workspace, { body: json, idempotency, author, isByKey: true }));
}
