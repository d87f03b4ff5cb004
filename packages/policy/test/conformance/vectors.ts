import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';

/** A vector of CEL's conformance corpus (cel-spec 0.25.1), as its files say it. */
export interface Vector {
  /** `suite/section/test`. */
  readonly name: string;
  readonly expression: string;
  /** What it must be: a value in the corpus' own form, a type, or an error. */
  readonly value: unknown;
  readonly deducedType: unknown;
  readonly isError: boolean;
  readonly bindings: Readonly<Record<string, { readonly value?: unknown }>>;
  /** Names with a type and without a value. */
  readonly typeEnv: readonly { readonly name: string; readonly ident?: { readonly type: unknown } }[];
}

/** Suites of the corpus that are not CEL's core, each with the reason why it is not run. */
export const suitesLeftOut: Readonly<Record<string, string>> = {
  bindings_ext: 'extension: cel.bind',
  block_ext: 'extension for optimisers: cel.block',
  dynamic: 'messages of protocol buffers: Any, Value, Struct and wrappers',
  encoders_ext: 'extension: base64',
  enums: 'enums of protocol buffers',
  macros2: 'extension: macros with two variables',
  math_ext: 'extension: functions of numbers',
  optionals: 'extension: optional values; a missing value is one here without a type of its own',
  proto2: 'messages of protocol buffers',
  proto2_ext: 'extension: messages of protocol buffers',
  proto3: 'messages of protocol buffers',
  string_ext: 'extension: further functions of text; those that we have behave as they do there',
  wrappers: 'wrappers of protocol buffers',
};

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: Readonly<Record<string, unknown>> & { readonly expr: string } }[];
}

/** Every vector of a core suite that needs no messages, enums or wrappers of protocol buffers. */
export function coreVectors(): readonly Vector[] {
  const core = (tests as Suite).suites?.filter((suite) => suitesLeftOut[suite.name] === undefined) ?? [];
  return core.flatMap((suite) => vectorsOf(suite, ''));
}

export function suiteNames(): readonly string[] {
  return ((tests as Suite).suites ?? []).map((suite) => suite.name);
}

function vectorsOf(suite: Suite, path: string): readonly Vector[] {
  const here = `${path}${suite.name}`;
  const below = (suite.suites ?? []).flatMap((inner) => vectorsOf(inner, `${here}/`));
  const own = (suite.tests ?? [])
    .filter(({ original }) => !needsMessages(original))
    .map(({ original }) => read(original, here));
  return [...below, ...own];
}

/** Whether it is about messages, or about types of protocol buffers that are no types of CEL's core. */
function needsMessages(original: Readonly<Record<string, unknown>>): boolean {
  const text = JSON.stringify(original);
  return /cel\.expr\.conformance\.proto|TestAllTypes|google\.protobuf\.(?!Timestamp|Duration)|"wrapper"|optional_type|abstractType/.test(
    text,
  );
}

function read(original: Readonly<Record<string, unknown>> & { readonly expr: string }, path: string): Vector {
  const { name, expr, value, typedResult, evalError, anyEvalErrors, bindings, typeEnv } = original;
  const typed = typedResult as { readonly result?: unknown; readonly deducedType?: unknown } | undefined;
  return {
    name: `${path}/${typeof name === 'string' ? name : expr}`,
    expression: expr,
    value: value ?? typed?.result,
    deducedType: typed?.deducedType,
    isError: evalError !== undefined || anyEvalErrors !== undefined,
    bindings: (bindings ?? {}) as Vector['bindings'],
    typeEnv: (typeEnv ?? []) as Vector['typeEnv'],
  };
}
