/** Identifies an action: the decided event, the rule that fired, and the position in the rule's `then`. */
export interface ActionIdentity {
  readonly workspaceId: string;
  readonly epoch: number;
  readonly offset: number;
  readonly reason: number;
  readonly position: number;
}

/**
 * The action's id, which is also its `webhook-id`. Equal identities have equal ids, so an action that is written again
 * after a crash is the same row, and one that is sent again is the same message.
 */
export function actionId(identity: ActionIdentity): string {
  const { workspaceId, epoch, offset, reason, position } = identity;
  return `act_${workspaceId}_${epoch}_${offset}_${reason}_${position}`;
}

const idForm = /^act_([a-z2-7]{1,32})_(\d{1,15})_(\d{1,15})_(\d{1,15})_(\d{1,9})$/;

/** The identity in an action's id; `undefined` for any other text. */
export function parseActionId(id: string): ActionIdentity | undefined {
  const parts = idForm.exec(id);
  if (parts === null) return undefined;
  const [epoch, offset, reason, position] = parts.slice(2).map(Number) as [number, number, number, number];
  const identity = { workspaceId: parts[1]!, epoch, offset, reason, position };
  return actionId(identity) === id ? identity : undefined;
}
