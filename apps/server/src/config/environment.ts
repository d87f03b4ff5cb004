import { check } from '../platform/shapes/check.ts';
import type { Configuration } from './configuration.ts';
import { hostShape, logLevelShape, portShape } from './file-shape.ts';
import type { ConfigurationMistake } from '../platform/shapes/mistakes.ts';
import type { Type } from 'typebox';
import { WrittenScalar } from '../platform/shapes/written-scalar.ts';

/** What the command line says: it comes before the environment, and that before the file. */
export interface ConfigurationOptions {
  readonly config?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly managementHost?: string | undefined;
  readonly managementPort?: string | undefined;
  readonly home?: string | undefined;
  /**
   * Leave out what the file says of workspaces: for commands, which work on what is in the database, and may run
   * where the environment does not have the license keys that the file names.
   */
  readonly withoutWorkspaces?: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What options and environment say together; `undefined` where both are silent. */
export interface EnvironmentSettings {
  readonly config: string | undefined;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly managementHost: string | undefined;
  readonly managementPort: number | undefined;
  readonly home: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly logLevel: Configuration['logLevel'] | undefined;
  readonly masterKey: string | undefined;
  readonly adminToken: string | undefined;
}

/** Reads options and environment variables. An empty variable is one that is not set. */
export function readEnvironment(
  options: ConfigurationOptions,
  environment: Environment,
  mistakes: ConfigurationMistake[],
): EnvironmentSettings {
  const variable = (name: string): Given | undefined => given(name, environment[name]);
  const checked = <Schema extends Type.TSchema>(
    schema: Schema,
    from: Given | undefined,
  ): Type.Static<Schema> | undefined => {
    if (from === undefined) return undefined;
    const result = check(schema, new WrittenScalar(from.text, from.text, 'argument'));
    if (result.ok) return result.value;
    const message = `expected ${result.mistakes[0]!.expected}, found ${JSON.stringify(from.text)}`;
    mistakes.push({ where: from.where, line: undefined, column: undefined, message });
    return undefined;
  };
  return {
    config: (given('--config', options.config) ?? variable('RINGFENCE_CONFIG'))?.text,
    host: checked(hostShape, given('--host', options.host) ?? variable('HOST')),
    port: checked(portShape, given('--port', options.port) ?? variable('PORT')),
    managementHost: checked(
      hostShape,
      given('--management-host', options.managementHost) ?? variable('MANAGEMENT_HOST'),
    ),
    managementPort: checked(
      portShape,
      given('--management-port', options.managementPort) ?? variable('MANAGEMENT_PORT'),
    ),
    home: (given('--home', options.home) ?? variable('RINGFENCE_HOME'))?.text,
    databaseUrl: databaseUrl(variable('DATABASE_URL'), mistakes),
    logLevel: checked(logLevelShape, variable('RINGFENCE_LOG_LEVEL')),
    masterKey: variable('RINGFENCE_MASTER_KEY')?.text,
    adminToken: variable('RINGFENCE_ADMIN_TOKEN')?.text,
  };
}

interface Given {
  readonly where: string;
  readonly text: string;
}

function given(where: string, text: string | undefined): Given | undefined {
  return text === undefined || text.trim() === '' ? undefined : { where, text: text.trim() };
}

function databaseUrl(from: Given | undefined, mistakes: ConfigurationMistake[]): string | undefined {
  if (from === undefined) return undefined;
  if (isDatabaseUrl(from.text)) return from.text;
  const message =
    'expected postgresql://user:password@host:port/database, a password with "/", "?", "#", "@" or "%" percent-encoded (it is not shown here: it may hold a password)';
  mistakes.push({ where: from.where, line: undefined, column: undefined, message });
  return undefined;
}

/** Told here, as the library would call it no URL without a word more, or take what follows a "/" in a password for the database. */
function isDatabaseUrl(text: string): boolean {
  const { authority, path } =
    /^postgres(?:ql)?:\/\/(?<authority>[^\s/?#]*)(?<path>[^\s?#]*)(?:\?[^\s#]*)?$/.exec(text)?.groups ?? {};
  if (authority === undefined || path === undefined) return false;
  if (!authority.includes('@') && path.includes('@')) return false;
  // One with an empty host (a Unix socket) is a URL for PostgreSQL, and none for others.
  return URL.canParse(text.replace('@/', '@localhost/'));
}
