import { dayMs, type EpochMs, hourMs } from '@ringfence/contract';
import { parseCidr, PostgresOutbox } from '@ringfence/delivery';
import type { AgedOut } from '../../../../src/platform/observability/metrics.ts';
import { verifyLog } from '../../../../src/backtest/replay/verify-log.ts';
import { Retention } from '../../../../src/decide/retention/retention.ts';
import { PolicyCache } from '../../../../src/policies/policy-cache.ts';
import { readWorkspace, updateWorkspace } from '../../../../src/tenancy/workspaces/workspace-store.ts';
import { makeScene, type Scene } from '../../support.ts';
import { type Installation, makeInstallation } from '../../../support/installation.ts';

export const beginMs = Date.UTC(2026, 0, 1);
export const rangeRecords = 16;

interface Time {
  nowMs: number;
}

/** A workspace that keeps events for 30 days and actions for 60, on a clock that a test can move by days. */
export class RetentionKit {
  readonly home: Installation;
  readonly scene: Scene;
  readonly outbox: PostgresOutbox;
  readonly removed = new Map<AgedOut, number>();
  readonly renewals: [workspaceId: string, keptForMs: number][] = [];
  purges = 0;
  readonly #time: Time;

  static async make(): Promise<RetentionKit> {
    const time = { nowMs: beginMs };
    const home = await makeInstallation();
    const scene = await makeScene(home, { now: () => time.nowMs as EpochMs, rangeRecords });
    const kit = new RetentionKit(home, scene, time);
    await kit.keep({ keepEvents: '30d', keepActions: '60d' });
    return kit;
  }

  private constructor(home: Installation, scene: Scene, time: Time) {
    this.home = home;
    this.scene = scene;
    this.outbox = new PostgresOutbox(scene.pool);
    this.#time = time;
  }

  async close(): Promise<void> {
    await this.scene.close();
    await this.home.close();
  }

  /** The clock only moves when a test moves it. */
  get clockMs(): number {
    return this.#time.nowMs;
  }

  set clockMs(nowMs: number) {
    this.#time.nowMs = nowMs;
  }

  async keep(settings: object): Promise<void> {
    const { home, scene } = this;
    const deps = { ...home.deps, log: scene.log, allowPrivateWebhooks: [parseCidr('127.0.0.0/8')!] };
    await updateWorkspace(deps, scene.workspace.id, { settings, actor: 'api' });
  }

  async retention(): Promise<Retention> {
    const { pool, log, subjects, workspace, logged } = this.scene;
    const present = await readWorkspace(this.home.deps, workspace.id);
    const note = (level: string) => (fields: object, message: string) => logged.push({ level, fields, message });
    return new Retention({
      pool,
      log,
      outbox: this.outbox,
      refused: { purge: async () => void (this.purges += 1) },
      policies: new PolicyCache(pool),
      makeSubjects: () => subjects,
      workspaces: () => [present],
      renewDeviceKey: async (workspaceId, keptForMs) => {
        this.renewals.push([workspaceId, keptForMs]);
        return true;
      },
      now: () => this.clockMs as EpochMs,
      logger: { info: note('info'), warn: note('warn'), error: note('error') },
      removed: (what, count) => this.removed.set(what, (this.removed.get(what) ?? 0) + count),
    });
  }

  async round(): Promise<string> {
    return (await this.retention()).round(new AbortController().signal);
  }

  /** A login and six payments within seconds: rule 301 closes the session. */
  async burst(client: string): Promise<void> {
    await this.scene.send('login', { channelId: 1, user: client, session: client, publicIp: '203.0.113.7', data: 'd' });
    for (let i = 0; i < 6; i++) {
      await this.scene.send('operation', {
        channelId: 1,
        timestamp: new Date(this.clockMs).toISOString(),
        account: { client, session: client },
        order: { amount: 10 + i, currency: 'MXN' },
        accountTo: { bank: 'B1', accountNumber: client },
      });
    }
  }

  /** Starts a process, which decides everything and stops with a last checkpoint. */
  async decide(): Promise<void> {
    const host = this.scene.startHost();
    await host.ready;
    await this.scene.settled();
    await host.stop();
  }

  /** Expires due actions and reports the outcomes to the engine, like the dispatcher. */
  async endActions(): Promise<void> {
    const { outcomes } = await this.outbox.tidy(this.clockMs);
    await this.outbox.outcomesAppended(outcomes);
  }

  /** Simulates `days`, with a burst of the clients on every tenth, and a retention round after each burst. */
  async live(days: number, clients = ['ana']): Promise<void> {
    const endMs = this.clockMs + days * dayMs;
    while (this.clockMs < endMs) {
      for (const client of clients) await this.burst(client);
      await this.decide();
      this.clockMs += 2 * hourMs; // beyond the actions' lifetime
      await this.endActions();
      await this.round();
      this.clockMs += 10 * dayMs - 2 * hourMs;
    }
  }

  async eventDays(): Promise<readonly number[]> {
    const found = await this.scene.pool.query<{ at: Date }>(
      `select distinct logged_at as at from event where workspace_id = $1 order by 1`,
      [this.scene.workspace.id],
    );
    return found.rows.map(({ at }) => (at.getTime() - beginMs) / dayMs);
  }

  async actionDays(): Promise<readonly number[]> {
    const found = await this.outbox.list({ workspaceId: this.scene.workspace.id }, 200);
    return found.map(({ decidedAtMs }) => (decidedAtMs - beginMs) / dayMs).toReversed();
  }

  async count(table: string): Promise<number> {
    const found = await this.scene.pool.query<{ count: number }>(`select count(*)::integer as count from ${table}`);
    return found.rows[0]!.count;
  }

  async digest(): Promise<string> {
    const found = await this.scene.pool.query<{ digest: Buffer }>(`select digest from engine_position`);
    return found.rows[0]!.digest.toString('hex');
  }

  verified() {
    const { pool, log, subjects, workspace } = this.scene;
    return verifyLog({ pool, log, subjects, policies: new PolicyCache(pool) }, workspace, () => {});
  }
}
