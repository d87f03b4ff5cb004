import { describe, expect, it } from 'vitest';
import { Stages, type StopOptions } from '../../src/platform/stages.ts';

function makeStop(): StopOptions & { readonly said: string[] } {
  const said: string[] = [];
  return {
    said,
    onError: (name, error) => said.push(`${name}: ${(error as Error).message}`),
    onCut: (name) => said.push(`cut at ${name}`),
    cutAfterMs: 5,
  };
}

describe('the started parts', () => {
  it('are all stopped in reverse order, once', async () => {
    const stages = new Stages();
    const stop = makeStop();
    stages.started('ground', () => void stop.said.push('ground'));
    stages.started('middle', () => Promise.reject(new Error('no')));
    stages.started('top', () => void stop.said.push('top'));
    await Promise.all([stages.stop(stop), stages.stop(stop)]);
    expect(stop.said).toEqual(['top', 'middle: no', 'ground']);
  });

  it('are cut if a part waits too long', async () => {
    const stages = new Stages();
    const stop = makeStop();
    const answer = Promise.withResolvers<void>();
    stages.started(
      'database',
      () => void stop.said.push('database'),
      () => answer.reject(new Error('cut off')),
    );
    stages.started('what was noted', () => answer.promise);
    await stages.stop(stop);
    expect(stop.said).toEqual(['cut at what was noted', 'what was noted: cut off', 'database']);
  });
});
