import { type ModelArtifact, sha256, writeArtifact } from '@ringfence/models';
import { describe, expect, it } from 'vitest';
import { diffPolicies } from '../../src/diff/diff-policies.ts';
import { loadPolicy } from '../../src/check/load-policy.ts';
import { artifactsNamed } from '../../src/check/policy-artifacts.ts';
import type { Policy } from '../../src/policy.ts';

/** One tree: is the amount above 100, or the device new? */
const artifact: ModelArtifact = {
  format: 'ringfence-model/1',
  inputs: [
    { name: 'amount', kind: 'number' },
    { name: 'isNew', kind: 'boolean' },
    { name: 'country', kind: 'category', texts: ['MX', 'US'] },
  ],
  precision: 'double',
  comparison: '<=',
  base: -2,
  trees: [
    {
      input: [0, 1, -1, -1, -1],
      value: [100, 0.5, -1, 1, 2],
      left: [1, 2, 0, 0, 0],
      right: [4, 3, 0, 0, 0],
      missingLeft: [1, 1, 0, 0, 0],
      cover: [10, 8, 6, 2, 2],
    },
  ],
  scores: { margins: [-3, 0], shares: [0.5, 1] },
};
const file = { path: 'models/cards.json', text: writeArtifact(artifact) };
const hash = sha256(file.text);
const inputs = 'inputs: { amount: double(order.amount), isNew: device.isNew, country: ip.country }';
const usual = `on: operation, artifact: models/cards.json, sha256: "${hash}"`;
const rule = '{ reason: 1, name: r, on: operation, when: model.cards.score >= 999, then: { action: 2 } }';

function load(model: string, when = rule, files = [file]): ReturnType<typeof loadPolicy> {
  return loadPolicy([{ path: 'a.yaml', text: `models:\n  cards: { ${model} }\nrules:\n  - ${when}\n` }, ...files]);
}

function policyOf(model: string, when = rule): Policy {
  const loaded = load(model, when);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded.policy;
}

function mistakesOf(model: string, when?: string, files = [file]): readonly string[] {
  const loaded = load(model, when, files);
  const found = loaded.ok ? loaded.warnings : loaded.errors;
  return found.map(({ message, suggestion }) => `${message} => ${suggestion}`);
}

describe('a model', () => {
  it('has results that rules read, and reads facts and features', () => {
    const { models, rules } = policyOf(`${usual}, ${inputs}, where: 'order.currency == "MXN"'`);
    expect(models).toMatchObject([
      {
        name: 'cards',
        trained: { sha256: hash },
        whereText: 'order.currency == "MXN"',
        reads: expect.arrayContaining(['ip.country']),
      },
    ]);
    expect(rules[0]?.reads).toMatchObject([{ path: 'model.cards.score', type: 'decimal' }]);
  });

  it('changes the identity of the policy with its file, its inputs and its filter', () => {
    const texts = [
      policyOf(`${usual}, ${inputs}`),
      policyOf(`${usual}, ${inputs.replace('order.amount', 'order.amount * 2')}`),
      policyOf(`${usual}, ${inputs}, where: order.amount > 5`),
    ].map(({ canonical }) => canonical);
    expect(new Set(texts).size).toBe(3);
    expect(texts[0]).toContain(hash);
  });

  it('is named in the differences of two versions', () => {
    const changes = diffPolicies(
      policyOf(`${usual}, ${inputs}`),
      policyOf(`${usual}, ${inputs.replace('order.amount', 'order.amount * 2')}`),
    );
    expect(changes).toEqual([{ of: 'model cards', change: 'amount double(order.amount) to double(order.amount * 2)' }]);
  });

  it('keeps its identity with other words for an input, and its differences name them', () => {
    const [plain, worded] = [inputs, inputs.replace('ip.country', '{ value: ip.country, text: { en: where } }')].map(
      (written) => policyOf(`${usual}, ${written}`),
    );
    expect(worded!.canonical).toBe(plain!.canonical);
    expect(diffPolicies(plain!, worded!)).toEqual([{ of: 'model cards', change: 'text of country none to en: where' }]);
  });

  it('is found by the names of artifacts in the files', () => {
    expect(artifactsNamed([{ path: 'a.yaml', text: `models:\n  cards: { ${usual}, ${inputs} }\n` }])).toEqual([
      file.path,
    ]);
    expect(artifactsNamed([{ path: 'a.yaml', text: 'rules: []\n' }, file])).toEqual([]);
  });

  it('is refused with its mistake', () => {
    const twice = rule.replace('score >= 999', 'p > 0.5 && missing == 0');
    const cases: readonly (readonly [model: string, mistake: string, when?: string])[] = [
      [usual, 'the model has no inputs => inputs: { amount: double(order.amount) }'],
      [`${usual.replace('on: operation, ', '')}, ${inputs}`, 'the model has no on => on: [operation]'],
      [
        `on: operation, artifact: models/cards.json, ${inputs}`,
        `models/cards.json may be exchanged without notice => sha256: "${hash}"`,
      ],
      [
        `${usual.replace(hash, hash.replace(/^./, 'x'))}, ${inputs}`,
        `models/cards.json has another SHA-256 => "${hash}", if it is the file that was meant`,
      ],
      [
        `${usual.replace('cards.json', 'card.json')}, ${inputs}`,
        'there is no file models/card.json => models/cards.json',
      ],
      [
        `${usual}, inputs: { amount: 1.0, isNew: true, state: ip.country }`,
        'the model has no input state => one of amount, isNew, country',
      ],
      [
        `${usual}, inputs: { amount: 1.0, isNew: true }`,
        'the model reads country, which has no value here => country: an expression',
      ],
      [
        `${usual}, ${inputs.replace('double(order.amount)', 'device.isNew')}`,
        'amount is a bool, and the model expects a number => a number, such as double(order.amount); a duration counts in seconds',
      ],
      [
        `${usual}, ${inputs.replace('ip.country', 'payee.id')}`,
        'country reads payee.id, which can identify a person or be any text => a number, a truth value, or a fact with few values, such as ip.country',
      ],
      [
        `${usual}, ${inputs.replace('order.amount', 'event.score')}`,
        'event.score is computed by the rules, after the models => undefined',
      ],
      [`${usual.replace('operation', 'login')}, ${inputs}`, 'logins never have order.amount => on: [operation]'],
      [
        `${usual}, ${inputs}`,
        'there is no fact or feature model.card.p => model.cards.p',
        twice.replace('cards.p', 'card.p'),
      ],
    ];
    for (const [model, mistake, when] of cases) expect(mistakesOf(model, when)).toContainEqual(mistake);
  });

  it('may be declared before it is trained', () => {
    const { models, rules } = policyOf(
      `on: operation, inputs: { amount: order.amount, isNew: device.isNew, state: device.state, since: session.age }`,
    );
    expect(rules[0]?.reads).toMatchObject([{ path: 'model.cards.score' }]);
    expect(models[0]).toMatchObject({
      trained: undefined,
      inputs: [
        { name: 'amount', kind: 'number' },
        { name: 'isNew', kind: 'boolean' },
        { name: 'state', kind: 'category', texts: expect.arrayContaining(['present', 'absent']) },
        { name: 'since', kind: 'number' },
      ],
    });
    expect(mistakesOf('on: operation, inputs: { amount: order.amount }')).toContainEqual(
      'cards is not trained: its results are missing => ringfence model train cards, or an artifact',
    );
    expect(mistakesOf('on: operation, inputs: { country: ip.country }')[0]).toContain('country is a string');
  });

  it('warns of a model that no rule reads, and of a file that no model reads', () => {
    const idle = rule.replace('model.cards.score >= 999', 'order.amount > 5');
    expect(mistakesOf(`${usual}, ${inputs}`, idle)).toEqual([
      'no rule reads model.cards => remove it until a rule reads it',
    ]);
    const other = { ...file, path: 'models/old.json' };
    expect(mistakesOf(`${usual}, ${inputs}`, rule, [file, other])).toEqual([
      'no model reads models/old.json => remove it',
    ]);
  });

  it('names the place of a mistake in its file', () => {
    const broken = { ...file, text: file.text.replace('"left":[1', '"left":[7') };
    expect(mistakesOf(`${usual.replace(hash, sha256(broken.text))}, ${inputs}`, rule, [broken])[0]).toMatch(
      /^models\/cards.json: trees\[0\].left\[0\]/,
    );
  });

  it('has no score without a table of scores', () => {
    const { scores: _, ...bare } = artifact;
    const unscored = { ...file, text: writeArtifact(bare) };
    const model = `${usual.replace(hash, sha256(unscored.text))}, ${inputs}`;
    expect(mistakesOf(model, rule, [unscored])[0]).toContain('there is no fact or feature model.cards.score');
    expect(mistakesOf(model, rule.replace('score >= 999', 'p > 0.9'), [unscored])).toEqual([]);
  });

  it('counts among the costs of a policy', () => {
    const cost = (when: string): number => policyOf(`${usual}, ${inputs}`, when).cost;
    expect(cost(rule)).toBeGreaterThan(cost(rule.replace('model.cards.score >= 999', 'order.amount > 999')));
  });
});

describe('a control share', () => {
  const withControl = (control: string): string => `${usual}, ${inputs}, control: ${control}`;

  it('is read with its cap, and changes the identity of the policy', () => {
    const policy = policyOf(withControl('{ share: 1.5%, upTo: 200.00, currency: MXN }'));
    expect(policy.models[0]?.control).toMatchObject({ share: 150, upTo: 200_000_000_000_000n, currency: 'MXN' });
    expect(policy.canonical).toContain('1.5% up to 200 MXN');
    expect(policyOf(`${usual}, ${inputs}`).canonical).not.toContain('control');
  });

  it('is named in the differences of two versions', () => {
    const without = policyOf(`${usual}, ${inputs}`);
    const one = policyOf(withControl('{ share: 1%, upTo: 200, currency: MXN }'));
    const other = policyOf(withControl('{ share: 2%, upTo: 50.50, currency: MXN }'));
    expect(diffPolicies(without, one)).toEqual([{ of: 'model cards', change: 'control none to 1% up to 200 MXN' }]);
    expect(diffPolicies(one, other)).toEqual([
      { of: 'model cards', change: 'control 1% up to 200 MXN to 2% up to 50.5 MXN' },
    ]);
  });

  it.each([
    ['{ share: 1%, currency: MXN }', 'control has no greatest amount'],
    ['{ share: 1%, upTo: 200 }', 'control has no currency'],
    ['{ upTo: 200, currency: MXN }', 'control has no share'],
    ['{ share: 11%, upTo: 200, currency: MXN }', 'share is 11% => at most 10%'],
    ['{ share: 0%, upTo: 200, currency: MXN }', 'share is 0% => a percentage of events'],
    ['{ share: 1%, upTo: 0, currency: MXN }', 'upTo is 0 => an amount above 0'],
    ['{ share: 1%, upTo: all, currency: MXN }', 'upTo is all'],
    ['{ share: 1%, upTo: 200, currency: pesos }', 'currency is pesos'],
    ['1%', 'control is expected, not'],
  ])('refuses %s', (control, mistake) => {
    expect(mistakesOf(withControl(control)).join('\n')).toContain(mistake);
  });

  it('needs operations, because other events have no amount', () => {
    const model = 'on: login, inputs: { isNew: device.isNew }';
    const when = '{ reason: 1, name: r, on: login, when: model.cards.p > 0.9, then: { action: 2 } }';
    const found = mistakesOf(`${model}, control: { share: 1%, upTo: 200, currency: MXN }`, when, []);
    expect(found.join('\n')).toContain('only operations have an amount');
  });
});
