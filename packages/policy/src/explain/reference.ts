import { dayMs, hourMs, minuteMs } from '@ringfence/contract';
import { costMax, developmentCostMax, policyCostMax, textLengthMax } from '../compile/bounds.ts';
import { definitions } from '../compile/definitions.ts';
import type { FunctionGroup } from '../compile/functions/definition.ts';
import { patternBounds } from '../compile/functions/pattern.ts';
import { expressionBounds } from '../expression/parse.ts';
import { factDefinitions, type FactSource, outcomeFactDefinitions } from '../facts/facts.ts';
import { messageBounds } from '../run/message.ts';
import { summaryBounds } from '../run/summary.ts';
import {
  type FeatureDefinition,
  featureDefinitions,
  featureDoc,
  featureKinds,
  keptFor,
} from '../sections/feature-kinds.ts';
import { featureMembers } from '../sections/feature-members.ts';
import { optionBounds } from '../sections/feature-options.ts';
import { featureBounds } from '../sections/feature-shape.ts';
import { featureCost } from '../check/feature-cost.ts';
import { exactRows, featureExactness } from '../check/feature-exactness.ts';
import { ruleBounds } from '../sections/read-rules.ts';
import { testBounds } from '../sections/read-tests.ts';

const sources: Readonly<Record<FactSource, string>> = {
  wire: 'Members of the events',
  engine: 'Derived by Ringfence',
  enrichment: 'Enrichment: looked up when the event arrived',
  outcome: 'Reported outcomes: only features with `on: [outcome]` read these',
};

const types: readonly (readonly [type: string, doc: string])[] = [
  ['string', 'Text: `"MXN"` or `\'MXN\'`.'],
  ['int', 'A whole number of 64 bits: `5`.'],
  ['double', 'A number with decimal places: `0.5`.'],
  [
    'decimal',
    'Money and values computed from it: exact to 12 places, division rounded half-even. A literal combined with a decimal keeps its exact digits.',
  ],
  ['bool', '`true` or `false`.'],
  ['timestamp', 'An instant: `timestamp("2026-01-31T00:00:00Z")`.'],
  ['duration', 'A span: `0s`, `15m`, `1h30m`, `7d`.'],
  ['list', 'Values in order: `["a", "b"]`, `lists.name`. An item by its position: `["a", "b"][0]`.'],
  [
    'map',
    'Values by name: `transaction.details["key"]` or `transaction.details.key`, `{"a": 1}`. A key that is not there is missing.',
  ],
  ['uint, bytes, null, type, dyn', 'As in CEL. No fact is of these types.'],
];

/** Where a condition has another meaning than in CEL, or is refused although CEL accepts it. */
const differences: readonly (readonly [name: string, doc: string])[] = [
  [
    'absence',
    'An absent value is missing; it is neither an error nor null. A comparison with it is missing, and a rule whose condition is missing does not fire. A fact is never null, and comparing it with `null` is refused; use `has(x)` and `x.orValue(y)`.',
  ],
  [
    'errors',
    'A runtime error of CEL is a missing value here: a division by zero, a number out of range, a text that is not a number, a key that is not in the map. This includes the division of doubles by zero: there is no infinity and no NaN.',
  ],
  [
    'lists with a missing item',
    '`x in [a, b]` searches the items that are present, and so do `exists` and `all`; in CEL one error makes the whole list an error.',
  ],
  ['mixed numbers', 'int, double and decimal can be mixed in comparisons, arithmetic and lists.'],
  ['decimal', 'An additional type.'],
  ['durations', 'Literals (`15m`), days (`7d`), `duration * int`. Milliseconds are the smallest unit.'],
  ['timestamps', 'To the millisecond. Named zones come from a built-in table, from 2000 to 2100.'],
  ['order of text', 'By UTF-16 units, not by code points.'],
  ['mixed lists', 'A list with items of different types is accepted with a warning.'],
  ['matches', `The pattern is a literal; texts are at most ${patternBounds.textLength} characters.`],
  [
    'long texts',
    `Functions that search or copy a text, and \`+\`, are missing for texts longer than ${textLengthMax} characters.`,
  ],
  ['unknown names', "Always refused, even in a branch that can't be reached."],
  ['messages of protocol buffers', 'Not supported, nor are enums and wrappers.'],
];

const currencies: readonly string[] = [
  '`order.amount` is the only fact with a currency: `order.currency`, exactly as it was sent, so `mxn` and `MXN` are',
  'different. Amounts without a currency count as one more currency. An event without an amount reads the values of its',
  'currency; with neither amount nor currency it reads nothing. If the entity has no amount in the currency, a sum and a',
  'rate are 0 and the others missing. A `count`, `rate: true`, `firstSeen`, `lastSeen` and kinds over labels ignore currencies;',
  '`by: [client.id, order.currency]` keeps them apart, and excludes events without one. A `ratio` divides the values of',
  'its two features.',
];

const withoutThis: readonly string[] = [
  'With `excluding: this`, the value on an event is computed from the events that were decided before it, over the same window:',
  "those of the same instant count, the event itself doesn't. An operation that waited for its login comes when it is decided. On an",
  'event that the feature does not count, it makes no difference. If there is no other event, the value is that of an empty window:',
  '0 for `count`, `distinct`, `sum` and `rate`, else missing, so a rule that compares with it does not fire. A feature with',
  '`excluding: this` shares its stored state with the same feature without it, and adding it to a feature keeps its history.',
  `${listed(({ excludesThis }) => excludesThis === true)} never count the event itself and refuse it; a \`ratio\` has what its two`,
  'features have.',
];

function listed(isMeant: (definition: FeatureDefinition) => boolean): string {
  return featureDefinitions
    .filter(isMeant)
    .map(({ kind }) => `\`${kind}\``)
    .join(', ');
}

/**
 * The reference page of conditions, in Markdown: every fact, function, bound and difference, from the tables that the
 * compiler uses.
 */
export function policyReference(): string {
  return [
    '# Facts and functions of a policy',
    '',
    '<!-- Generated by `node tools/policy-reference.ts` from the tables that the compiler uses. Do not edit. -->',
    '',
    'What conditions (`when`, `where`), features (`by`, `sum` …), messages and summaries (`{{ }}`) may read. Conditions are CEL, the',
    'Common Expression Language; [the guide](../guides/write-a-policy.md) shows how to use them.',
    ...(['wire', 'engine', 'enrichment', 'outcome'] as const).flatMap((source) => [
      '',
      `## ${sources[source]}`,
      '',
      ...factTable(source),
    ]),
    ...section(
      'Types',
      ['Type', 'Values'],
      types.map(([type, doc]) => [`\`${type}\``, doc]),
    ),
    ...section(
      'Operators',
      ['Operator', 'Works on'],
      [
        [
          '`&&` `\\|\\|` `!`',
          'bool. `a && b` is false if either is false, else missing if either is missing; `\\|\\|` is true if either is true, else missing if either is missing; `!` of missing is missing.',
        ],
        ['`==` `!=`', 'values of one type, lists and maps included, or any two numbers'],
        ['`<` `<=` `>` `>=`', 'numbers, text (by its UTF-16 units), timestamps, durations, false before true'],
        [
          '`+` `-` `*` `/` `%`',
          'numbers: int with int stays int (`3 / 2` is 1), with a double becomes double, with a decimal becomes decimal; `%` not on doubles',
        ],
        [
          '`+` `-` `*`',
          'text + text; list + list; timestamp - timestamp; timestamp and duration; duration and duration; duration * int',
        ],
        ['`in`', 'a list, `lists.name`, or a map (whether it has the key)'],
        ['`c ? a : b`', 'a and b of one type, or numbers'],
      ],
    ),
    ...featureSection(),
    ...section(
      'Members of a feature',
      ['Member', 'Meaning', 'Example'],
      featureMembers.map(({ name, doc, example }) => [`\`${name}\``, doc, `\`${example}\``]),
    ),
    ...section(
      'How exact features are',
      ['Kind', `Up to ${exactRows} events of an entity`, 'Error beyond that'],
      featureExactness.map(([kinds, error]) => [kinds.map((kind) => `\`${kind}\``).join(' '), 'exact', error]),
    ),
    '',
    'Numbers with decimal places that are not amounts (latitudes, scores) are stored to six decimals.',
    '',
    "Features use each event's own time, late events included. Memory is bounded however many events an entity has; [why, and by which",
    'structures](../decisions/0007-exact-sliding-windows.md).',
    ...costSection(),
    ...functionSections(),
    ...section('Bounds', ['What', 'At most'], bounds()),
    ...section(
      'Different from CEL',
      ['What', 'How'],
      differences.map(([name, doc]) => [name, doc]),
    ),
    '',
  ].join('\n');
}

function featureSection(): readonly string[] {
  const rows = featureDefinitions.map((definition) => [
    `\`${definition.kind}\``,
    featureDoc(definition),
    `\`${definition.example}\``,
  ]);
  return [...section('Features', ['Kind', 'Value', 'Example'], rows), '', ...currencies, '', ...withoutThis];
}

const groups: Readonly<Record<FunctionGroup, string>> = {
  absence: 'What is there',
  text: 'Text',
  'lists and maps': 'Lists and maps',
  time: 'Time',
  numbers: 'Numbers',
  conversion: 'Conversions',
  features: 'Features',
  names: 'Names',
  places: 'Places',
  addresses: 'Addresses',
  messages: 'Messages',
};

/** A table for each group. The part before a dot is the value that the method is called on. */
function functionSections(): readonly string[] {
  const tables = Object.entries(groups).flatMap(([group, title]) => {
    const rows = definitions.filter((definition) => definition.group === group);
    if (rows.length === 0) return [];
    const cells = rows.map(({ signature, doc, example }) => [
      `\`${cell(signature)}\``,
      cell(doc),
      `\`${cell(example)}\``,
    ]);
    return ['', `### ${title}`, '', ...table(['Function', 'Answers', 'Example'], cells)];
  });
  return [
    '',
    '## Functions',
    '',
    'If an argument is missing, so is the result, unless the table states otherwise.',
    ...tables,
  ];
}

function factTable(source: FactSource): readonly string[] {
  const facts = [...factDefinitions, ...outcomeFactDefinitions].filter((fact) => fact.source === source);
  return table(
    ['Fact', 'Type', 'On', 'Meaning'],
    facts.map(({ path, type, on, doc, values }) => {
      const kinds = source === 'outcome' ? 'outcomes' : on.size === 3 ? 'all' : [...on].join(', ');
      const listed = values === undefined ? '' : ` One of ${values.map((value) => `\`${value}\``).join(', ')}.`;
      return [`\`${path}\``, type, kinds, `${cell(doc)}${listed}`];
    }),
  );
}

function costSection(): readonly string[] {
  return [
    ...section('What features cost', ['Kind', 'At most, in steps for one event'], featureCosts()),
    '',
    'This is the cost of a feature that a rule reads. An event that is late, in another currency than the one before it, or of a',
    `very large amount can make the engine scan all ${exactRows} rows of an entity. Together with the rules and messages, features`,
    `may cost at most ${policyCostMax} ([why](../decisions/0006-bounded-policy-cost.md)). A \`ratio\` costs the sum of its two features.`,
  ];
}

/** Kinds that cost the same per row, the most expensive first. */
function featureCosts(): readonly (readonly string[])[] {
  const kinds = featureKinds.filter((kind) => kind !== 'ratio');
  const byCost = Map.groupBy(kinds, (kind) => featureCost(keptFor(kind, 'decimal')));
  return [...byCost]
    .toSorted(([one], [other]) => other - one)
    .map(([cost, alike]) => [alike.map((kind) => `\`${kind}\``).join(' '), String(cost)]);
}

function bounds(): readonly (readonly string[])[] {
  return [
    ['rules of a policy', String(ruleBounds.rules)],
    ['features of a policy', String(featureBounds.features)],
    ['facts that name the entity of a feature', String(featureBounds.by)],
    ['window of a feature', `${featureBounds.overMsMin / minuteMs} min to ${featureBounds.overMsMax / dayMs} days`],
    [
      'half-life of a profile',
      `${optionBounds.halfLifeMsMin / hourMs} h to ${optionBounds.halfLifeMsMax / dayMs} days`,
    ],
    ['characters of a condition', String(expressionBounds.lengthChars)],
    ['names, literals and operators of a condition', String(expressionBounds.nodes)],
    ['steps of a condition (about 10 ns each)', String(costMax)],
    ['steps of all rules, features and messages for one event', String(policyCostMax)],
    ['the same in a development workspace', String(developmentCostMax)],
    ['items of a list in a condition', String(expressionBounds.listItems)],
    ['characters of a pattern', String(patternBounds.patternLength)],
    ['characters of a message', String(messageBounds.templateLength)],
    ['characters of a value in a message', String(messageBounds.valueLength)],
    ['characters of a summary', String(summaryBounds.templateLength)],
    ['values in a summary', String(summaryBounds.placeholders)],
    ['characters of a value in a summary', String(summaryBounds.valueLength)],
    ['tests of a policy', String(testBounds.tests)],
    ['events of a test', String(testBounds.given)],
    ['time that a test spans (`at`)', `${testBounds.atMsMax / dayMs} days`],
    ['expectations of a test', String(testBounds.expect)],
  ];
}

function section(title: string, head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return ['', `## ${title}`, '', ...table(head, rows)];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** A vertical bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
