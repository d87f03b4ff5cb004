import { ZenEngine } from '@gorules/zen-engine';
import { Environment } from '@marcbachmann/cel-js';
import { assert } from '@ringfence/contract';
import { type Facts, loadPolicy, RuleIndex, SharedConditions } from '@ringfence/policy';
import { Engine, type TopLevelCondition } from 'json-rules-engine';
import { type Comparison, type FactName, factNames, nested, type PlainFacts, type PlainRule, textOf } from './rules.ts';

/**
 * An initialised engine. Returns how many rules match, in total, over these events. Facts are already in the engine's
 * own form.
 */
export type Ask = () => number | Promise<number>;

/** Initialises an engine: compiles the rules, and converts the facts into its own form. */
export type Prepare = (rules: readonly PlainRule[], events: readonly PlainFacts[]) => Ask;

const cel = { and: '&&', or: '||', name: (fact: FactName) => fact };

/**
 * As in our engine: selects the rules that can apply, evaluates shared parts once. Facts are written into their slots
 * for every event.
 */
export const ringfence: Prepare = (rules, events) => {
  const text = rules.map(
    (rule, at) =>
      `  - { reason: ${at + 1}, name: rule ${at}, on: [operation], when: '${textOf(rule, cel)}', then: { action: 4, message: m } }`,
  );
  const loaded = loadPolicy([{ path: 'rules.yaml', text: ['rules:', ...text, ''].join('\n') }]);
  assert(loaded.ok, 'the rules check');
  const { policy } = loaded;
  const shared = new SharedConditions(policy.rules, () => false);
  const index = new RuleIndex(policy.rules);
  const whens = policy.rules.map(({ condition }) => shared.of(condition));
  const slots = Object.values(factNames)
    .flat()
    .flatMap((name) => {
      const slot = policy.slots.of(name);
      return slot === undefined ? [] : [{ name, slot }];
    });
  const facts: Facts = Array.from({ length: policy.slots.count }, () => undefined);
  return () => {
    let holding = 0;
    for (const event of events) {
      for (const { name, slot } of slots) facts[slot] = event[name];
      shared.begin();
      for (const place of index.find(facts)) if (whens[place]!(facts) === true) holding++;
    }
    return holding;
  };
};

/** The parser's own evaluator: parsed and checked once, then called with an object of facts. */
export const celJs: Prepare = (rules, events) => {
  const environment = new Environment();
  environment.registerVariable('channelId', 'int');
  for (const room of ['client', 'session', 'event', 'transaction', 'order']) environment.registerVariable(room, 'map');
  const evaluators = rules.map((rule) => environment.parse(textOf(rule, cel)));
  const contexts = events.map((event) => nested(withBigInts(event)));
  return () => {
    let holding = 0;
    for (const context of contexts) for (const evaluate of evaluators) if (evaluate(context) === true) holding++;
    return holding;
  };
};

/** It represents integers of CEL as bigint. */
function withBigInts(event: PlainFacts): PlainFacts {
  const entries = Object.entries(event).map(([name, value]) => [
    name,
    typeof value === 'number' ? BigInt(value) : value,
  ]);
  return Object.fromEntries(entries) as PlainFacts;
}

const operatorNames: Readonly<Record<Comparison['operator'], string>> = {
  '==': 'equal',
  '!=': 'notEqual',
  '<': 'lessThan',
  '<=': 'lessThanInclusive',
  '>': 'greaterThan',
  '>=': 'greaterThanInclusive',
};

/** One engine with all rules; facts are passed to every run. */
export const jsonRulesEngine: Prepare = (rules, events) => {
  const engine = new Engine();
  for (const { any } of rules) {
    const conditions: TopLevelCondition = {
      any: any.map((all) => ({
        all: all.map(({ fact, operator, value }) => ({ fact, operator: operatorNames[operator], value })),
      })),
    };
    engine.addRule({ conditions, event: { type: 'holds' } });
  }
  return async () => {
    let holding = 0;
    for (const event of events) holding += (await engine.run(event)).events.length;
    return holding;
  };
};

/** A decision with one node of expressions, one for each rule: compiled once, evaluated natively. */
export const zenEngine: Prepare = (rules, events) => {
  const words = { and: 'and', or: 'or', name: (fact: FactName) => fact };
  const expressions = rules.map((rule, at) => ({ id: `e${at}`, key: `r${at}`, value: textOf(rule, words) }));
  const decision = new ZenEngine().createDecision({
    nodes: [
      { id: 'in', name: 'in', type: 'inputNode', position: { x: 0, y: 0 } },
      { id: 'rules', name: 'rules', type: 'expressionNode', position: { x: 0, y: 0 }, content: { expressions } },
      { id: 'out', name: 'out', type: 'outputNode', position: { x: 0, y: 0 } },
    ],
    edges: [
      { id: 'a', sourceId: 'in', targetId: 'rules', type: 'edge' },
      { id: 'b', sourceId: 'rules', targetId: 'out', type: 'edge' },
    ],
  });
  const contexts = events.map(nested);
  return async () => {
    let holding = 0;
    for (const context of contexts) {
      const { result } = await decision.evaluate(context);
      for (const value of Object.values(result as Record<string, unknown>)) if (value === true) holding++;
    }
    return holding;
  };
};
