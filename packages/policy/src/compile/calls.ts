import type { CallNode, Expression } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import { nearest } from '../check/nearest.ts';
import { compileBeside } from './unquoted-word.ts';
import { combine, type Compiled, constant, type Context, type Made, type Run, silent } from './compiled.ts';
import { callNames, formNamed, functionsNamed } from './definitions.ts';
import { costOfCall, type FunctionDefinition, type ParameterType } from './functions/definition.ts';
import { isDynamic, dispatch } from './dynamic-dispatch.ts';
import { aType, isList, isMap, isNumeric, type Type } from './type.ts';
import type { Value } from './value.ts';
import { inSmallLetters } from './foreign-names.ts';

/** Compiles a call: a function, a method, or a form that inspects its arguments before they are evaluated. */
export function compileCall(node: CallNode, context: Context): Compiled | undefined {
  const form = formNamed(node.name);
  if (form !== undefined) return form.compile(node, context);
  const named = functionsNamed(node.name);
  if (named.length === 0) return refuseUnknown(node, context);
  const nodes = node.receiver === undefined ? node.args : [node.receiver, ...node.args];
  const compiled = compileParts(node, context);
  const parts = compiled.filter((part) => part !== undefined);
  return parts.length < compiled.length ? undefined : call({ node, named, nodes }, parts, context);
}

/** The receiver first. The argument of a text's method is usually a text as well. */
function compileParts({ receiver, args }: CallNode, context: Context): readonly (Compiled | undefined)[] {
  if (receiver === undefined) return args.map((part) => context.compile(part));
  const owner = { node: receiver, compiled: context.compile(receiver) };
  return [owner.compiled, ...args.map((part) => compileBeside(part, owner, context))];
}

/** A call as written, with all definitions that it could mean. */
interface Call {
  readonly node: CallNode;
  readonly named: readonly FunctionDefinition[];
  /** The receiver first. */
  readonly nodes: readonly Expression[];
}

function call(of: Call, parts: readonly Compiled[], context: Context): Compiled | undefined {
  const candidates = of.named.filter(
    ({ isMethod, params }) => isMethod === (of.node.receiver !== undefined) && params.length === parts.length,
  );
  if (isDynamic(parts) && candidates.length > 0) return callLate({ ...of, named: candidates }, parts, context);
  const exact = candidates.find(({ params }) => params.every((param, at) => takes(param, parts[at]?.type ?? 'none')));
  if (exact !== undefined) return apply(exact, { of, parts }, context);
  // Converts a whole number or a decimal where only a double is accepted.
  const wide = candidates.find(({ params }) => params.every((param, at) => widens(param, parts[at]?.type ?? 'none')));
  if (wide === undefined) return refuseTypes({ ...of, named: candidates }, parts, context);
  return apply(
    wide,
    { of, parts: parts.map((part, at) => (wide.params[at] === 'double' ? asDouble(part) : part)) },
    context,
  );
}

function takes(param: ParameterType, type: Type): boolean {
  if (param === 'any') return true;
  // An empty list is a list of any type.
  if (type === 'list<none>') return param.startsWith('list');
  return param === type || (param === 'list' && isList(type)) || (param === 'map' && isMap(type));
}

function widens(param: ParameterType, type: Type): boolean {
  return takes(param, type) || (param === 'double' && isNumeric(type));
}

function asDouble(part: Compiled): Compiled {
  const convert = functionsNamed('double').find(({ params }) => params[0] === part.type);
  if (convert === undefined || part.type === 'double') return part;
  return combine('double', [part], { run: running(convert.apply, [part]) });
}

/**
 * For arguments whose types are known only at run time. The cost is that of the most expensive definition that could be
 * meant.
 */
function callLate(of: Call, parts: readonly Compiled[], context: Context): Compiled {
  const quiet = silent(context);
  const costs = of.named.map((definition) => {
    const typed = parts.map((part, at) => placeholder(part, definition.params[at] ?? 'any'));
    return apply(definition, { of, parts: typed }, quiet)?.cost ?? 0;
  });
  const results = new Set(of.named.map(({ result }) => result));
  const [result = 'dyn'] = results.size === 1 ? results : [];
  return dispatch(parts, { result, cost: Math.max(...costs), name: of.node.name }, (typed) => call(of, typed, quiet));
}

function placeholder(part: Compiled, param: ParameterType): Compiled {
  if (part.constant) return part;
  const type = param === 'list' ? 'list<dyn>' : param === 'map' ? 'map<dyn, dyn>' : param === 'any' ? 'dyn' : param;
  return { ...constant(type, undefined), constant: false, size: part.size, length: part.length };
}

/** The call, with the properties of its result. */
function apply(
  definition: FunctionDefinition,
  given: { readonly of: Call; readonly parts: readonly Compiled[] },
  context: Context,
): Compiled | undefined {
  const { range } = definition;
  const made = applied(definition, given, context);
  return made === undefined || range === undefined ? made : { ...made, range };
}

function applied(
  definition: FunctionDefinition,
  { of, parts }: { readonly of: Call; readonly parts: readonly Compiled[] },
  context: Context,
): Compiled | undefined {
  const { prepare, implicit, result } = definition;
  const literal = parts.at(-1);
  if (prepare !== undefined && literal?.type === 'string') {
    if (literal.constant) return applyPrepared({ ...definition, prepare }, { of, parts }, context);
    if (definition.isLiteral === true) return refuseNoLiteral(definition, of, context);
  }
  if (implicit === undefined) return combine(result, parts, made(definition, parts));
  const { start, end } = of.node;
  const fact = context.compile({ kind: 'path', start, end, parts: [{ name: implicit, start, end }] });
  const all = fact === undefined ? parts : [...parts, fact];
  return fact && combine(result, all, made(definition, all));
}

function made({ name, result, apply, cost, length, size }: FunctionDefinition, parts: readonly Compiled[]): Made {
  return {
    name,
    run: running(apply, parts),
    cost: costOfCall(cost, parts),
    isBuilt: result === 'string' || result === 'list<string>',
    ...(length === undefined ? {} : { length: length(...parts) }),
    ...(size === undefined ? {} : { size }),
  };
}

/** Prepares a literal that is the last argument at check time. */
function applyPrepared(
  definition: FunctionDefinition & Required<Pick<FunctionDefinition, 'prepare'>>,
  { of, parts }: { readonly of: Call; readonly parts: readonly Compiled[] },
  context: Context,
): Compiled | undefined {
  const value = parts.at(-1)?.run([]);
  const prepared = typeof value === 'string' ? definition.prepare(value) : undefined;
  // A constant that is missing makes everything computed from it missing too.
  if (prepared === undefined) return constant(definition.result, undefined);
  const { start, end } = of.nodes.at(-1) ?? of.node;
  if ('wrong' in prepared) {
    context.report({ start, end, message: prepared.wrong, suggestion: prepared.suggestion });
    return undefined;
  }
  if (prepared.warning !== undefined) context.report({ start, end, ...prepared.warning, severity: 'warning' });
  const rest = parts.slice(0, -1);
  warnOfLongText(definition, { of, texts: rest }, context);
  return combine(definition.result, rest, {
    name: definition.name,
    run: running(prepared.apply, rest),
    cost: costOfCall(prepared.cost, rest),
  });
}

/** Otherwise a text in front would hide what is looked for, and the rule would be silent. */
function warnOfLongText(
  { name, looksAt }: FunctionDefinition,
  { of, texts }: { readonly of: Call; readonly texts: readonly Compiled[] },
  context: Context,
): void {
  const [first] = of.nodes;
  const length = texts[0]?.length ?? 0;
  if (looksAt === undefined || first === undefined || length <= looksAt) return;
  const { start, end } = first;
  const text = printExpression(first);
  context.report({
    start,
    end,
    message: `${name} looks at the first ${looksAt} characters of ${text}, which can have ${length}`,
    suggestion: `${text}.contains(…), which looks at all of it, or || ${text}.size() > ${looksAt} for what is longer`,
    severity: 'warning',
  });
}

function refuseNoLiteral(definition: FunctionDefinition, { node, nodes }: Call, context: Context): undefined {
  const { start, end } = nodes.at(-1) ?? node;
  const message = `${definition.name} needs a literal here`;
  context.report({ start, end, message, suggestion: `a text in quotes: ${definition.example}` });
  return undefined;
}

/** Calls with all values, or is missing if one of them is. */
function running(apply: (...values: never[]) => Value, parts: readonly Compiled[]): Run {
  const runs = parts.map((part) => part.run);
  const [first, second, third] = runs;
  const call = apply as (...values: Value[]) => Value;
  if (first === undefined) return () => call();
  if (second === undefined) {
    return (facts) => {
      const value = first(facts);
      return value === undefined ? undefined : call(value);
    };
  }
  if (third === undefined) {
    return (facts) => {
      const a = first(facts);
      const b = a === undefined ? undefined : second(facts);
      return b === undefined ? undefined : call(a, b);
    };
  }
  return (facts) => {
    const values = runs.map((run) => run(facts));
    return values.includes(undefined) ? undefined : call(...values);
  };
}

function refuseUnknown(node: CallNode, context: Context): undefined {
  const meant = nearest(node.name, callNames);
  const suggestion = fromElsewhere.get(inSmallLetters(node.name)) ?? (meant === undefined ? undefined : `${meant}(…)`);
  context.report({ ...node.nameSpan, message: `there is no function ${node.name}`, suggestion });
  if (node.receiver !== undefined) context.compile(node.receiver);
  // A name bound by the form that was probably meant is not reported as unknown.
  if (meant === undefined || formNamed(meant) === undefined) for (const part of node.args) context.compile(part);
  return undefined;
}

/** Functions of other rule languages that people look for here, in lower case. */
const fromElsewhere: ReadonlyMap<string, string> = new Map(
  Object.entries({
    tolowercase: 'lowerAscii()',
    tolower: 'lowerAscii()',
    lower: 'lowerAscii()',
    touppercase: 'upperAscii()',
    toupper: 'upperAscii()',
    upper: 'upperAscii()',
    length: 'size()',
    len: 'size(x)',
    includes: 'contains(…)',
    like: 'contains(…), startsWith(…), or matches(…) with a pattern',
    ilike: 'plain().contains(…)',
    between: 'x >= 1 && x <= 9',
    coalesce: 'x.orValue(y)',
    isnull: '!has(…)',
    isempty: '!has(…)',
    is_missing: '!has(…)',
    ismissing: '!has(…)',
    now: 'event.at',
    count: 'a feature that counts, declared under features:',
    sum: 'a feature that sums, declared under features:',
    distinct: 'a feature that counts distinct values, declared under features:',
    float: 'double(x)',
    number: 'decimal(x)',
    if: 'condition ? a : b',
    and: 'x && y',
    or: 'x || y',
    xor: 'x != y',
    not: '!x',
    isblank: '!has(…)',
    empty: '!has(…)',
    ifnull: 'x.orValue(y)',
    iferror: 'x.orValue(y)',
    match: 'matches(…) with a pattern',
    regex: 'matches(…) with a pattern',
    date: 'hour(event.at), weekday(event.at), or timeOfDay(event.at)',
    today: 'event.at',
    avg: 'a feature that averages, declared under features:',
    average: 'a feature that averages, declared under features:',
    bind: 'the value itself, in each place',
  }),
);

/** No function of this name accepts these arguments: reports which one is wrong, if that can be determined. */
function refuseTypes(of: Call, parts: readonly Compiled[], context: Context): undefined {
  const { node, named, nodes } = of;
  const other = otherWay(of, parts);
  if (other !== undefined) {
    context.report({ ...node.nameSpan, message: `${node.name} can't be called like this`, suggestion: other });
    return undefined;
  }
  const suggestion = signaturesOf(node);
  const [only] = named;
  const wrong =
    only === undefined || named.length > 1
      ? -1
      : only.params.findIndex((param, at) => !widens(param, parts[at]?.type ?? 'none'));
  const place = nodes[wrong];
  if (place === undefined) {
    const types = parts.map((part) => aType(part.type));
    const given =
      node.receiver === undefined
        ? types.join(', ') || 'nothing'
        : `${types.slice(1).join(', ') || 'nothing'} on ${types[0] ?? ''}`;
    context.report({ ...node.nameSpan, message: `${node.name} does not accept ${given}`, suggestion });
    return undefined;
  }
  const takes = node.receiver !== undefined && wrong === 0 ? 'belongs to' : 'takes';
  const wanted = aType(only?.params[wrong] as Type);
  const given = aType(parts[wrong]?.type ?? 'none');
  const message = `${node.name} ${takes} ${wanted}, but ${printExpression(place)} is ${given}`;
  context.report({ start: place.start, end: place.end, message, suggestion });
  return undefined;
}

/** `hour(event.at)` for `event.at.hour()`, and vice versa. */
function otherWay({ node, nodes }: Call, parts: readonly Compiled[]): string | undefined {
  const isMethod = node.receiver !== undefined;
  const other = functionsNamed(node.name).find(
    (definition) =>
      definition.isMethod !== isMethod &&
      definition.params.length === parts.length &&
      definition.params.every((param, at) => widens(param, parts[at]?.type ?? 'none')),
  );
  if (other === undefined) return undefined;
  const [first = '', ...rest] = nodes.map((part) => printExpression(part));
  return isMethod ? `${node.name}(${[first, ...rest].join(', ')})` : `${first}.${node.name}(${rest.join(', ')})`;
}

/** As many as a person reads. */
const signaturesShown = 4;

/** Functions that could have been meant: those of this name called in the same way, if there are any. */
function signaturesOf(node: CallNode): string {
  const all = functionsNamed(node.name);
  const alike = all.filter(({ isMethod }) => isMethod === (node.receiver !== undefined));
  const signatures = (alike.length === 0 ? all : alike).map(({ signature }) => signature);
  const shown = signatures.slice(0, signaturesShown).join(' or ');
  return signatures.length > signaturesShown ? `${shown} …` : shown;
}
