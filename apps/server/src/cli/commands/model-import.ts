import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  importLightgbm,
  importOnnx,
  importXgboost,
  type ImportedModel,
  type ModelArtifact,
  mistakeText,
  type ModelResult,
  sha256,
  writeArtifact,
} from '@ringfence/models';
import { loadPolicy, type PolicyFile, writeModel } from '@ringfence/policy';
import type { Command } from 'commander';
import { parse, YAMLParseError } from 'yaml';
import { scoresOn } from '../../backtest/training/score-history.ts';
import { readPolicyFolder } from '../../config/policy-folder.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { policyErrorLine } from '../../policies/policy-work.ts';
import { about, onWorkspace } from '../about.ts';
import { type CliIo, UsageError, type WorkspaceOptions } from '../cli-io.ts';
import { historyOptions, periodOptions, type PeriodOptions, withProgress, writeFiles } from './model-files.ts';
import { withWorkspace } from '../open-installation.ts';
import { counted, printResult } from '../print.ts';
import type { Shell } from '../shell.ts';

interface ImportOptions extends WorkspaceOptions, PeriodOptions {
  readonly policy: string;
  readonly map?: string;
}

export function addModelImport(group: Command, { io }: Shell): void {
  const command = historyOptions(
    onWorkspace(group.command('import'))
      .argument('<name>', 'a model that the policy declares under models:, with its inputs')
      .argument('<file>', 'XGBoost JSON (.json), LightGBM text (.txt) or ONNX (.onnx)')
      .requiredOption('--policy <folder>', 'folder of YAML files; the artifact is written into it')
      .option('--map <file>', 'YAML: the input of the policy for each feature of the library, where names differ'),
  ).action(async (name: string, file: string, options: ImportOptions) => {
    const folder = resolve(io.folder, options.policy);
    const files = readPolicyFolder(folder);
    const imported = importFile(resolve(io.folder, file));
    const bare = mapped(imported.artifact, options.map === undefined ? {} : readMap(resolve(io.folder, options.map)));
    const artifact = options.history === undefined ? bare : await withScores(io, bare, { name, files, options });
    const path = `models/${name}.json`;
    const text = writeArtifact(artifact);
    const written = writeModel(files, name, { artifact: path, sha256: sha256(text) });
    if (written === undefined)
      throw new UsageError(`The policy declares no model ${name}: add it under models:, with its inputs.`);
    const together = [
      ...files.filter((one) => one.path !== path && one.path !== written.path),
      { path, text },
      written,
    ];
    refuseMistakes(together);
    writeFiles(folder, [{ path, text }, written]);
    const { inputs, trees, scores } = artifact;
    const unused = imported.unused.length === 0 ? '' : ` No tree asks ${imported.unused.join(', ')}.`;
    const noScore = scores === undefined ? ` It has no score yet: with --history it gets one.` : '';
    printResult(io, options, {
      json: { inputs, trees: trees.length, unused: imported.unused, sha256: sha256(text) },
      human: `Imported ${counted(trees.length, 'tree')} over ${counted(inputs.length, 'input')} into ${options.policy}/${path}, and its SHA-256 into the policy.${unused}${noScore}\nNext: ringfence policy check ${options.policy}, then backtest it; begin in shadow.\n`,
    });
  });
  about(command, {
    summary: 'Take a model that was trained elsewhere.',
    details:
      'Reads the trees of XGBoost (bit for bit), LightGBM (bit for bit) or ONNX (within 1e-6), and writes them as the artifact of a model of the policy. The names of its features are the inputs of the policy, or are mapped to them: `f0: amount`, or `f1: { input: country, texts: [MX, US] }` with the texts of a category by their codes. With --history the model is evaluated on it, and its scores are the shares of the legitimate events below.',
    examples: [
      ['ringfence model import cards model.json --policy policies/next', 'the features have the names of the inputs'],
      ['ringfence model import cards model.txt --policy policies/next --map map.yaml --history 2026', 'with scores'],
    ],
    failure: 'refused; nothing was written',
  });
}

/** With the table of scores that its history gives it, and what it reads there. */
function withScores(
  io: CliIo,
  artifact: ModelArtifact,
  of: { readonly name: string; readonly files: readonly PolicyFile[]; readonly options: ImportOptions },
): Promise<ModelArtifact> {
  const { name, files, options } = of;
  return withWorkspace(io, options, async (installation, workspace) => {
    const request = { files, model: name, nowMs: io.now(), ...periodOptions(options) };
    const measured = await withProgress(io, (onProgress) =>
      scoresOn(installation, workspace, { request, artifact, hooks: { onProgress } }),
    );
    if (measured !== undefined) return { ...artifact, ...measured };
    throw new OperatorError('Stopped. Nothing was written.', 'Run the command again.');
  });
}

function importFile(path: string): ImportedModel {
  const bytes = readOrRefuse(path);
  const text = (): string => bytes.toString('utf8');
  const result: ModelResult<ImportedModel> = path.endsWith('.onnx')
    ? importOnnx(bytes)
    : path.endsWith('.json')
      ? importXgboost(text())
      : importLightgbm(text());
  if (result.ok) return result.value;
  throw new OperatorError(
    `${path} cannot be imported:\n${result.mistakes.map((mistake) => `  ${mistakeText(mistake)}`).join('\n')}`,
    'Save the model as XGBoost JSON (.json), LightGBM text (.txt) or ONNX (.onnx).',
  );
}

function readOrRefuse(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new OperatorError(`${path} cannot be read: ${(cause as Error).message}.`, 'Name a file that exists.', {
      cause,
    });
  }
}

/** What a feature of the library is in the policy. */
interface MappedFeature {
  readonly input?: string;
  /** The texts of a category, by the library's code. */
  readonly texts?: readonly string[];
}

function readMap(path: string): Readonly<Record<string, MappedFeature>> {
  const entries = Object.entries((parseMap(path) ?? {}) as Readonly<Record<string, unknown>>);
  return Object.fromEntries(entries.map(([feature, one]) => [feature, mappedFeature(one, `${path}: ${feature}`)]));
}

function parseMap(path: string): unknown {
  try {
    return parse(readOrRefuse(path).toString('utf8'));
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new UsageError(`${path}: ${error.message}`);
  }
}

function mappedFeature(value: unknown, place: string): MappedFeature {
  if (typeof value !== 'object' || value === null) return { input: String(value) };
  const { input, texts, ...others } = value as { readonly input?: string; readonly texts?: readonly string[] };
  const isRight = (input === undefined || typeof input === 'string') && (texts === undefined || Array.isArray(texts));
  if (!isRight || Object.keys(others).length > 0)
    throw new UsageError(`${place}: expected the name of an input, or { input: name, texts: [a, b] }`);
  return {
    ...(input === undefined ? {} : { input }),
    ...(texts === undefined ? {} : { texts: texts.map(String) }),
  };
}

/** With the names of the policy. */
function mapped(artifact: ModelArtifact, map: Readonly<Record<string, MappedFeature>>): ModelArtifact {
  const names = artifact.inputs.map(({ name }) => name);
  const unknown = Object.keys(map).find((feature) => !names.includes(feature));
  if (unknown !== undefined)
    throw new UsageError(`--map: the model asks no feature ${unknown}; it asks ${names.join(', ')}`);
  return {
    ...artifact,
    inputs: artifact.inputs.map((input) => {
      const { input: name = input.name, texts } = map[input.name] ?? {};
      if (texts === undefined || input.texts === undefined) return { ...input, name };
      return { ...input, name, texts: input.texts.map((code) => texts[Number(code)] ?? code) };
    }),
  };
}

function refuseMistakes(files: readonly PolicyFile[]): void {
  const loaded = loadPolicy(files);
  if (loaded.ok) return;
  throw new OperatorError(
    `The policy does not check with this model:\n${loaded.errors.map((error) => `  ${policyErrorLine(error)}`).join('\n')}`,
    'Declare each input of the model, or name it in --map.',
  );
}
