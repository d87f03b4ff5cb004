import { describe, expect, it } from 'vitest';
import { searchPolicy } from '../../src/explain/search-policy.ts';

const files = [
  {
    path: 'search.yaml',
    text: `features:
  payments: { count: true, by: client.id, over: 1h, on: [operation] }
rules:
  - { reason: 2147483647, name: Large, on: [operation], when: order.amount > 10, then: { action: 2 }, score: 5 }
`,
  },
];

describe('a search condition', () => {
  it('becomes one more rule in shadow, evaluated last, on every kind of event', () => {
    const result = searchPolicy(files, 'payments > 3 &&\n  event.score >= 5\n');
    expect(result).toMatchObject({ ok: true, search: { rule: { mode: 'shadow', reason: 2147483646 } } });
    if (!result.ok) return;
    const { policy, rule } = result.search;
    expect(rule.text).toBe('payments > 3 && event.score >= 5');
    expect(policy.rules).toHaveLength(2);
    expect(policy.slots.of('device.id')).toBeDefined();
  });

  it('with mistakes reports them at positions of its own text', () => {
    expect(searchPolicy(files, 'payments > 3 &&\norder.amonut > 1')).toMatchObject({
      ok: false,
      wrong: 'condition',
      errors: [{ line: 2, column: 1, suggestion: 'order.amount' }],
    });
    expect(searchPolicy([], 'ip.country ==')).toMatchObject({ ok: false, errors: [{ line: 1 }] });
    expect(searchPolicy([], '')).toMatchObject({ ok: false });
  });

  it("with a policy that does not check reports the policy's mistakes", () => {
    const old = [{ path: 'old.yaml', text: 'features:\n  payments: { count: yes, by: client.id, over: 1h }\n' }];
    expect(searchPolicy(old, 'true')).toMatchObject({ ok: false, wrong: 'policy', errors: [{ file: 'old.yaml' }] });
  });

  it('cannot become anything but a condition', () => {
    for (const text of ['true\nmode: live', '"\n  - reason: 7', 'true # no', '\ttrue\n- x', '}]\n}']) {
      const result = searchPolicy(files, text);
      expect(result.ok ? result.search.policy.rules.map(({ mode }) => mode) : []).toEqual(
        result.ok ? ['live', 'shadow'] : [],
      );
    }
    expect(searchPolicy(files, 'true\nmode: live').ok).toBe(false);
  });
});
