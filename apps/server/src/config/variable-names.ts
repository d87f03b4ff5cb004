import { distance, nearest } from '@ringfence/policy/nearest';
import type { ConfigurationMistake } from '../platform/shapes/mistakes.ts';

/** The variables of a process, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment variables that the service and its commands read. */
export const variables = [
  'RINGFENCE_CONFIG',
  'RINGFENCE_HOME',
  'RINGFENCE_MASTER_KEY',
  'RINGFENCE_ADMIN_TOKEN',
  'RINGFENCE_LOG_LEVEL',
  'RINGFENCE_ALLOW_LOCAL_WEBHOOKS',
  'DATABASE_URL',
  'HOST',
  'PORT',
  'MANAGEMENT_HOST',
  'MANAGEMENT_PORT',
] as const;
export type Variable = (typeof variables)[number];

const prefix = 'RINGFENCE_';

/** What others read: a bank's backend in our examples, and the tests and benchmarks of this repository. */
const variablesOfOthers: ReadonlySet<string> = new Set(
  ['LICENSE_KEY', 'KEY', 'URL', 'WEBHOOK_SECRET', 'PEPPER', 'PROPERTY_RUNS', 'PICTURES', 'HANDBOOK'].map(
    (name) => prefix + name,
  ),
);

/**
 * What Kubernetes sets in every container for a service whose name begins with "ringfence".
 * Source: https://kubernetes.io/docs/tutorials/services/connect-applications-service/#environment-variables
 */
const ofKubernetes = /_SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;
const kubernetesPort = /^(?:tcp|udp|sctp):\/\//;

/** Long enough that a name two edits away is no word of its own, as POST is for PORT. */
const distinctive = ['DATABASE_URL', 'MANAGEMENT_HOST', 'MANAGEMENT_PORT'] as const;
const editsMax = 2;
/** Other names by which programs take a database; ours if the value is one of PostgreSQL. */
const otherDatabaseName = /^(?:db|pg|postgres|postgresql|database)_?(?:url|uri|dsn|connection|connection_string)$/i;
const postgresUrl = /^postgres(?:ql)?:/;

/**
 * Variables that are set under a name that is not read but was probably meant to be: an unknown name with our prefix,
 * and a near miss of another name that is not set itself. An empty variable counts as not set. Values are not shown.
 *
 * @param stated what the configuration file says: the names that it uses, and which database is meant; then no name is
 *   taken for a misspelt `DATABASE_URL`
 */
export function misnamedVariables(
  environment: Environment,
  stated: { readonly ofFile: ReadonlySet<string>; readonly database: string | undefined },
): readonly ConfigurationMistake[] {
  const isSet = (name: string): boolean => (environment[name] ?? '').trim() !== '';
  const isOpen = (known: Variable): boolean =>
    !isSet(known) && (known !== 'DATABASE_URL' || stated.database === undefined);
  return Object.keys(environment).flatMap((name) => {
    if (!isSet(name) || stated.ofFile.has(name) || (variables as readonly string[]).includes(name)) return [];
    const value = environment[name]!.trim();
    const message = name.toUpperCase().startsWith(prefix) ? unknownOfOurs(name, value) : nearMiss(name, value, isOpen);
    return message === undefined ? [] : [{ where: name, line: undefined, column: undefined, message }];
  });
}

function unknownOfOurs(name: string, value: string): string | undefined {
  if (variablesOfOthers.has(name) || ofKubernetes.test(name)) return undefined;
  if (name.endsWith('_PORT') && kubernetesPort.test(value)) return undefined;
  // Without the prefix, which alone would make all names near each other.
  const bare = new Map(variables.map((known) => [known.replace(prefix, ''), known]));
  const meant = nearest(name.slice(prefix.length), bare.keys());
  const ours = variables.filter((known) => known.startsWith(prefix));
  const hint = meant === undefined ? `expected one of ${ours.join(', ')}` : `did you mean ${bare.get(meant)!}?`;
  return `this environment variable is not known; ${hint}`;
}

function nearMiss(name: string, value: string, isOpen: (known: Variable) => boolean): string | undefined {
  const meant =
    distinctive.find((known) => distance(name.toUpperCase(), known) <= editsMax) ??
    (otherDatabaseName.test(name) && postgresUrl.test(value) ? 'DATABASE_URL' : undefined);
  if (meant === undefined || !isOpen(meant)) return undefined;
  return `this environment variable is not read; did you mean ${meant}? If not, unset it for this process`;
}
