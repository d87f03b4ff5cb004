/** A thread that steps one policy over a backtest's records. Started by `WorkerHandle`. */
import { assert, unreachable } from '@ringfence/contract';
import { loadPolicy } from '@ringfence/policy';
import { enterThread } from '../../platform/thread.ts';
import { withRulesLive } from './as-live.ts';
import { BacktestWorker } from './backtest-worker.ts';
import type { FromWorker, WorkerSettings, ToWorker } from './worker-messages.ts';

const { settings, port } = enterThread('background');
const { files, asLive, ...options } = settings as WorkerSettings;
const loaded = loadPolicy(files);
assert(loaded.ok, 'a policy is checked before its backtest');
const lane = new BacktestWorker({ ...options, policy: withRulesLive(loaded.policy, asLive) });

port.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'begin':
      lane.begin(message.start);
      return;
    case 'batch': {
      const report = lane.take(message.bytes);
      tell({ kind: 'report', report });
      return;
    }
    case 'end':
      tell({ kind: 'ended', missing: lane.missing() });
      port.close();
      return;
    default:
      unreachable(message);
  }
});

function tell(message: FromWorker): void {
  port.postMessage(message);
}
