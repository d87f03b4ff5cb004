import { describe, expect, it } from 'vitest';
import { type Conclusion } from '../../../src/ingest/wait/read-conclusions.ts';
import { type Waited, WaitingRoom } from '../../../src/ingest/wait/waiting-room.ts';
import { testWorkspace } from '../../deliver/support/workspace-fixture.ts';

const workspace = testWorkspace({ id: 'bankbank' });
/** Longer than the test takes: a request that is answered earlier was answered for another reason. */
const waitMs = 600_000;
const conclusion: Conclusion = { fired: [], actions: [] };

/** A room of which the test states the time and the forecast. */
function makeRoom() {
  const told = { nowMs: 0, expectedMs: undefined as number | undefined, decided: false };
  const hopeless: string[] = [];
  const room = new WaitingRoom({
    read: (_, offsets) => Promise.resolve(new Map(told.decided ? offsets.map((offset) => [offset, conclusion]) : [])),
    expectedMs: () => told.expectedMs,
    onHopeless: (id) => void hopeless.push(id),
    monotonicMs: () => told.nowMs,
    onError: (error) => expect.unreachable(String(error)),
  });
  const wait = (offset: number): Promise<Waited> =>
    room.wait({ workspace, offset, waitMs, gone: new AbortController().signal });
  const hear = (nextOffset: number, nowMs: number): void => {
    told.nowMs = nowMs;
    room.hear({ workspaceId: workspace.id, nextOffset });
  };
  return { room, told, hopeless, wait, hear };
}

describe('a request that waits for its decision', () => {
  it('is answered at once if the decision is expected too late, with a quarter of its time to spare', async () => {
    const { room, told, hopeless, wait } = makeRoom();
    told.expectedMs = waitMs / 1.25 + 1;
    expect(await wait(7)).toEqual({ kind: 'pending', waited: false });
    expect(hopeless).toEqual([workspace.id]);
    told.expectedMs = waitMs / 1.25 - 1;
    void wait(7);
    expect(room.size).toBe(1);
    room.close();
  });

  it('is never answered early without a forecast', () => {
    const { room, wait, hear } = makeRoom();
    void wait(7);
    for (let step = 1; step <= 5; step++) hear(step, (step * waitMs) / 6);
    expect(room.size).toBe(1);
    room.close();
  });

  it('is answered as soon as a notice shows that the decision will come too late', async () => {
    const { told, hopeless, wait, hear } = makeRoom();
    told.expectedMs = waitMs / 2;
    const waited = wait(7);
    hear(1, waitMs / 2);
    expect(hopeless).toEqual([]);
    told.expectedMs = waitMs / 2;
    hear(2, waitMs / 2 + 1_000);
    expect(await waited).toEqual({ kind: 'pending', waited: false });
    expect(hopeless).toEqual([workspace.id]);
  });

  it('gets its decision however late it was expected', async () => {
    const { told, wait, hear } = makeRoom();
    const waited = wait(7);
    told.decided = true;
    hear(8, 100);
    expect(await waited).toEqual({ kind: 'decided', conclusion });
  });
});
