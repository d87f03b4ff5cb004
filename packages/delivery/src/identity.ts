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
