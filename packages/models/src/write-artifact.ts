import type { Calibration, ModelArtifact, ModelInput, ModelPopulation, ModelTree, PopulationBins } from './artifact.ts';

/**
 * The text of an artifact. The same model has the same text, and so the same hash: members in a fixed order, numbers
 * with the fewest digits that identify them, a line for each tree. `readArtifact` gives the same model back.
 *
 * An infinite threshold is written `1e999`, which is valid JSON and is read as infinite.
 */
export function writeArtifact(artifact: ModelArtifact): string {
  const { format, inputs, precision, comparison, base, divisor, slope, zeroBand, trees } = artifact;
  const { calibration, scores, population } = artifact;
  const exact = precision === 'single' ? singleText : numberText;
  const members = [
    `"format":${JSON.stringify(format)}`,
    `"inputs":${lines(inputs.map(inputText))}`,
    `"precision":${JSON.stringify(precision)}`,
    `"comparison":${JSON.stringify(comparison)}`,
    `"base":${exact(base)}`,
    ...optional('divisor', divisor, numberText),
    ...optional('slope', slope, numberText),
    ...optional('zeroBand', zeroBand, numberText),
    `"trees":${lines(trees.map((tree) => treeText(tree, exact)))}`,
    ...optional('calibration', calibration, calibrationText),
    ...optional('scores', scores, ({ margins, shares }) => `{"margins":${list(margins)},"shares":${list(shares)}}`),
    ...optional('population', population, populationText),
  ];
  return `{\n${members.join(',\n')}\n}\n`;
}

function calibrationText({ lowSlope, highSlope, shift }: Calibration): string {
  return `{"lowSlope":${numberText(lowSlope)},"highSlope":${numberText(highSlope)},"shift":${numberText(shift)}}`;
}

function populationText({ margins, inputs }: ModelPopulation): string {
  return `{"margins":${binsText(margins)},"inputs":${lines(inputs.map(binsText))}}`;
}

function binsText({ edges, counts }: PopulationBins): string {
  return `{"edges":${list(edges)},"counts":${list(counts)}}`;
}

function inputText({ name, kind, texts, zeroIsMissing }: ModelInput): string {
  const members = [
    `"name":${JSON.stringify(name)}`,
    `"kind":${JSON.stringify(kind)}`,
    ...optional('texts', texts, (known) => JSON.stringify(known)),
    ...optional('zeroIsMissing', zeroIsMissing, String),
  ];
  return `{${members.join(',')}}`;
}

function treeText(tree: ModelTree, exact: NumberPrinter): string {
  const { input, value, left, right, missingLeft, cover, categories } = tree;
  const members = [
    `"input":${list(input)}`,
    `"value":${list(value, exact)}`,
    `"left":${list(left)}`,
    `"right":${list(right)}`,
    `"missingLeft":${list(missingLeft)}`,
    `"cover":${list(cover)}`,
    ...optional('categories', categories, setsText),
  ];
  return `{${members.join(',')}}`;
}

/** Whole numbers as keys are always in ascending order. */
function setsText(categories: Readonly<Record<number, readonly number[]>>): string {
  const sets = Object.entries(categories).map(([node, positions]) => `"${node}":${list(positions)}`);
  return `{${sets.join(',')}}`;
}

function optional<T>(name: string, value: T | undefined, print: (value: T) => string): readonly string[] {
  return value === undefined ? [] : [`"${name}":${print(value)}`];
}

function lines(texts: readonly string[]): string {
  return `[\n${texts.join(',\n')}\n]`;
}

type NumberPrinter = (value: number) => string;

function list(values: readonly number[], print: NumberPrinter = numberText): string {
  return `[${values.map(print).join(',')}]`;
}

function numberText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '1e999' : '-1e999';
}

/** Digits that identify any number of 32 bits. */
const singleDigits = 9;

/** The fewest digits that give `value`, a number of 32 bits, after rounding to 32 bits. */
function singleText(value: number): string {
  for (let digits = 1; digits < singleDigits && Number.isFinite(value); digits++) {
    const short = Number(value.toPrecision(digits));
    if (Object.is(Math.fround(short), value)) return numberText(short);
  }
  return numberText(value);
}
