/** What names an action: the event that was decided, the rule that fired, and the place in the rule's `then`. */
export interface ActionIdentity {
  readonly workspaceId: string;
  readonly epoch: number;
  readonly offset: number;
  readonly reason: number;
  readonly position: number;
}

/**
 * The action's id, which is also its `webhook-id`: equal for equal identities, whenever and wherever it is computed.
 * So an action that is written again after a crash is the same row, and one that is sent again is the same message.
 */
export function actionId(identity: ActionIdentity): string {
  const { workspaceId, epoch, offset, reason, position } = identity;
  return `act_${workspaceId}_${epoch}_${offset}_${reason}_${position}`;
}
