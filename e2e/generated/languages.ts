type Client = 'ingest' | 'management';

/** A program and its arguments. */
type Command = readonly [string, ...string[]];

/** How clients of one language are generated, built and run. Paths are relative to the folder of the language. */
export interface Language {
  /** Also the name of its generator. */
  readonly name: 'java' | 'python' | 'go';
  readonly options: (client: Client) => readonly string[];
  /** Files to write before the build. */
  readonly files: Readonly<Record<string, string>>;
  /** Folders to copy before the build: from, to. */
  readonly copies: readonly (readonly [string, string])[];
  /** Its file in `programs/`. */
  readonly program: string;
  readonly programPlace: string;
  readonly build: readonly Command[];
  readonly run: Command;
  /** An amount with all the digits that its clients keep. */
  readonly amount: string;
}

/** The largest amounts: 24 digits where clients have a decimal type, 15 where they have a double. */
const decimalAmount = '123456789012345678.123456';
const doubleAmount = '123456789.123456';

const javaSources = 'src/main/java/bank/management';

const java: Language = {
  name: 'java',
  options: (client) => [
    '--library=native',
    `--additional-properties=invokerPackage=bank.${client},apiPackage=bank.${client}.api,modelPackage=bank.${client}.model`,
  ],
  files: {},
  // Both clients need the same libraries: one Maven project has both.
  copies: [[`management/${javaSources}`, `ingest/${javaSources}`]],
  program: 'Play.java',
  programPlace: 'ingest/src/main/java/Play.java',
  build: [
    ['mvn', '-B', '-q', '-f', 'ingest', '-DskipTests', 'compile'],
    ['mvn', '-B', '-q', '-f', 'ingest', 'dependency:copy-dependencies', '-DoutputDirectory=target/libraries'],
  ],
  run: ['java', '-cp', 'ingest/target/classes:ingest/target/libraries/*', 'Play'],
  amount: decimalAmount,
};

const python: Language = {
  name: 'python',
  options: (client) => [`--package-name=${client}`],
  files: {},
  copies: [],
  program: 'play.py',
  programPlace: 'play.py',
  build: [
    ['python3', '-m', 'venv', 'environment'],
    ['environment/bin/pip', 'install', '--quiet', './ingest', './management'],
  ],
  run: ['environment/bin/python', 'play.py'],
  amount: doubleAmount,
};

const go: Language = {
  name: 'go',
  options: (client) => [
    `--package-name=${client}`,
    '--additional-properties=withGoMod=false',
    '--type-mappings=number+decimal=float64',
  ],
  files: { 'go.mod': 'module bank\n\ngo 1.23\n' },
  copies: [],
  program: 'play.go',
  programPlace: 'play.go',
  build: [['go', 'build', '-o', 'play', '.']],
  run: ['./play'],
  amount: doubleAmount,
};

export const languages: readonly Language[] = [java, python, go];
