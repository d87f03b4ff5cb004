import type { LineLogger } from '../platform/observability/thread-logger.ts';
import type { Workspace, WorkspaceRegistry } from '../tenancy/workspaces/workspace.ts';
import { actionSource } from './action-source.ts';
import { alertSource } from './alert-source.ts';
import { auditSource } from './audit-source.ts';
import { decisionSource, type SourceDeps } from './decision-source.ts';
import type { Delivery } from './delivery.ts';
import { type FactSources, workspaceText } from './fact.ts';
import { FileDelivery, folderStore } from './file-delivery.ts';
import { KafkaDelivery } from './kafka-delivery.ts';
import { outcomeSource } from './outcome-source.ts';
import { s3Store } from './s3-store.ts';
import { StreamSender } from './stream-sender.ts';
import type { StreamSettings } from './stream-settings.ts';

export interface StreamDeps extends SourceDeps {
  readonly registry: Pick<WorkspaceRegistry, 'all' | 'byId'>;
  readonly logger: LineLogger;
  readonly now: () => number;
}

/** Starts a sender for each stream. */
export function openStreamSenders(deps: StreamDeps, streams: readonly StreamSettings[]): readonly StreamSender[] {
  return streams.map((settings) => {
    const sender = new StreamSender({
      ...deps,
      settings,
      sources: sourcesOf(deps, settings),
      delivery: deliveryOf(settings, deps.now),
      workspaces: () => deps.registry.all(),
      random: Math.random,
    });
    sender.start();
    return sender;
  });
}

export function sourcesOf(deps: StreamDeps, { workspaces }: Pick<StreamSettings, 'workspaces'>): FactSources {
  const isWanted = (workspace: Workspace | undefined): boolean =>
    workspaces === undefined || (workspace !== undefined && workspaces.includes(workspaceText(workspace)));
  return {
    decisions: decisionSource(deps),
    actions: actionSource(deps),
    alerts: alertSource(deps),
    outcomes: outcomeSource(deps),
    audit: auditSource(deps, { byId: (id) => deps.registry.byId(id), isWanted }),
  };
}

function deliveryOf({ name, target }: StreamSettings, now: () => number): Delivery {
  switch (target.kind) {
    case 'kafka':
      return new KafkaDelivery(name, target);
    case 'folder':
      return new FileDelivery({ ...target, stream: name, store: folderStore(target.folder), now });
    case 's3':
      return new FileDelivery({ ...target, stream: name, store: s3Store(target), now });
  }
}
