/** What a command changes, in the terms of the audit log. */
export interface Change {
  /** The id of the management API's operation that does the same, if there is one. */
  readonly action: string;
  /** Which arguments name the target: an id, a number or a name, never a personal value. */
  readonly target?: 'first' | 'all';
  /** Where the workspace is named: an option, the first argument, or an option that is omitted to mean all. */
  readonly workspace?: 'option' | 'argument' | 'optional';
}

/** A running command, as the audit log records it. */
export interface RunningChange extends Change {
  /** The command's words: `policy apply`. */
  readonly words: string;
  readonly args: readonly string[];
  readonly workspaceGiven: string | undefined;
}

const ofWorkspace = (action: string, target?: Change['target']): Change => ({
  action,
  workspace: 'option',
  ...(target === undefined ? {} : { target }),
});

/** Every command that changes something or shows a secret. Other commands are not recorded in the audit log. */
export const changingCommands: Readonly<Record<string, Change>> = {
  'workspace create': { action: 'createWorkspace', target: 'first' },
  'workspace set': { action: 'changeWorkspace', workspace: 'argument' },
  'workspace move': { action: 'moveWorkspace', target: 'first' },
  'key create': ofWorkspace('createKey'),
  'key promote': ofWorkspace('promoteKey', 'first'),
  'key revoke': ofWorkspace('revokeKey', 'first'),
  'device-key rotate': ofWorkspace('rotateDeviceKey'),
  'token create': { action: 'createToken', target: 'first' },
  'token revoke': { action: 'revokeToken', target: 'first' },
  'policy apply': ofWorkspace('applyPolicy'),
  'policy activate': ofWorkspace('activatePolicy', 'first'),
  'list add': ofWorkspace('changeList', 'first'),
  'list remove': ofWorkspace('changeList', 'first'),
  'list import': ofWorkspace('changeList', 'first'),
  'suppress rule': ofWorkspace('suppressRule', 'first'),
  'suppress end': ofWorkspace('endRuleSuppression', 'first'),
  'deliveries redeliver': ofWorkspace('redeliverActions', 'all'),
  'deliveries release': ofWorkspace('releaseActions', 'all'),
  'deliveries drop': ofWorkspace('dropActions', 'all'),
  'holds release': ofWorkspace('decideHolds', 'all'),
  'holds reject': ofWorkspace('decideHolds', 'all'),
  'deliveries pause': { action: 'pauseDeliveries', workspace: 'optional' },
  'deliveries resume': { action: 'resumeDeliveries', workspace: 'optional' },
  'streams rewind': { action: 'rewindStream', target: 'first' },
  'webhook test': ofWorkspace('testWebhook'),
  'webhook enable': ofWorkspace('enableWebhook'),
  'webhook secret': ofWorkspace('showSigningSecret'),
  'webhook rotate-secret': ofWorkspace('rotateSigningSecret'),
  'webhook retire-secret': ofWorkspace('retireSigningSecret'),
  'client unblock': ofWorkspace('unblockClient'),
  'client erase': ofWorkspace('eraseClient'),
  'label add': ofWorkspace('tellLabels'),
  'label import': ofWorkspace('tellLabels'),
  'pepper export': ofWorkspace('showPepper'),
  'pepper import': ofWorkspace('changePepper'),
  'master-key rotate': { action: 'rotateMasterKey' },
  'log move': { action: 'moveLog' },
  backup: { action: 'backUp' },
  import: ofWorkspace('importHistory'),
  'history remove': ofWorkspace('removeHistory', 'first'),
  backtest: ofWorkspace('startBacktest'),
  'model train': ofWorkspace('trainModel', 'first'),
  'model import': ofWorkspace('importModel', 'first'),
};
