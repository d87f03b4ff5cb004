import { eventually } from '../harness/eventually.ts';
import type { Progress } from './progress.ts';
import { databaseHost, type Host, type Hosts } from './hosts.ts';
import { outside } from './network.ts';

export interface Struck {
  readonly hosts: Hosts;
  /** The host that decides when the fault begins. */
  readonly owner: Host;
  readonly others: readonly [Host, Host];
  readonly progress: Progress;
}

export interface Fault {
  readonly is: string;
  /** The owner cannot decide: another host must do it. */
  readonly moves: boolean;
  /** Nothing can be decided before the fault is over. */
  readonly stopsAll?: true;
  /** The bank's calls to a host get no answer at all. */
  readonly silent?: true;
  /** Each host has a broker, and the log is in their topic. */
  readonly onBrokers?: true;
  /** Instead of the bar of the other faults for the time until all is well, ms. */
  readonly healedMsMax?: number;
  begin(struck: Struck): Promise<void>;
  /** After the network was healed. */
  end?(struck: Struck): Promise<void>;
  /** Throws for what is wrong while the fault lasts. */
  check?(struck: Struck): Promise<void>;
}

/** A dead host's connections, and with them its locks, are gone after this time. */
const deadSessionsMsMax = 15_000;

async function part({ network }: Hosts, one: string, other: string): Promise<void> {
  await network.drop(one, other);
  await network.drop(other, one);
}

export const faults: Readonly<Record<string, Fault>> = {
  'service-service': {
    is: 'two services parted',
    moves: false,
    begin: ({ hosts, owner, others }) => part(hosts, owner.name, others[0].name),
  },
  'service-database': {
    is: 'owner and database parted',
    moves: true,
    begin: ({ hosts, owner }) => part(hosts, owner.name, databaseHost),
  },
  'other-database': {
    is: 'another service and the database parted',
    moves: false,
    begin: ({ hosts, others }) => part(hosts, others[0].name, databaseHost),
  },
  'service-bank': {
    is: 'owner and bank parted',
    moves: false,
    silent: true,
    begin: ({ hosts, owner }) => part(hosts, owner.name, outside),
  },
  unplugged: {
    is: 'owner parted from everything; it returns after others took over',
    moves: true,
    silent: true,
    begin: ({ hosts, owner }) => hosts.network.unplug(owner.name),
  },
  'answers-lost': {
    is: 'half-open: what the database sends to the owner is lost',
    moves: true,
    begin: ({ hosts, owner }) => hosts.network.drop(databaseHost, owner.name),
  },
  'questions-lost': {
    is: 'half-open: what the owner sends to the database is lost',
    moves: true,
    begin: ({ hosts, owner }) => hosts.network.drop(owner.name, databaseHost),
  },
  'bank-unheard': {
    is: 'half-open: what the bank sends to the owner is lost',
    moves: false,
    silent: true,
    begin: ({ hosts, owner }) => hosts.network.drop(outside, owner.name),
  },
  'owner-unheard': {
    is: 'half-open: what the owner sends to the bank is lost',
    moves: false,
    silent: true,
    begin: ({ hosts, owner }) => hosts.network.drop(owner.name, outside),
  },
  zombie: {
    is: 'owner stopped (SIGSTOP); it goes on after others took over',
    moves: true,
    silent: true,
    begin: async ({ owner }) => void process.kill(owner.service.pid, 'SIGSTOP'),
    end: async ({ owner }) => void process.kill(owner.service.pid, 'SIGCONT'),
  },
  dead: {
    is: 'power of the owner lost: its connections end without a word',
    moves: true,
    silent: true,
    begin: async ({ hosts, owner }) => {
      await hosts.network.unplug(owner.name);
      await owner.service.kill();
    },
    check: sessionsEnd,
    end: ({ owner }) => owner.start(),
  },
  'broker-and-service': {
    is: 'owner and the broker beside it parted from everything; both return after others took over',
    moves: true,
    silent: true,
    onBrokers: true,
    begin: ({ hosts, owner }) => hosts.network.unplug(owner.name),
  },
  'broker-and-service-dead': {
    is: 'power of the owner and of the broker beside it lost',
    moves: true,
    silent: true,
    onBrokers: true,
    healedMsMax: 20_000, // a broker starts and catches up as well
    begin: async ({ hosts, owner }) => {
      await hosts.network.unplug(owner.name);
      await Promise.all([owner.broker!.kill(), owner.service.kill()]);
    },
    check: sessionsEnd,
    end: async ({ owner }) => void (await Promise.all([owner.broker!.start(), owner.start()])),
  },
  'database-hangs': {
    is: 'every process of the database stopped (SIGSTOP)',
    moves: false,
    stopsAll: true,
    begin: async ({ hosts }) => hosts.signalDatabase('SIGSTOP'),
    end: async ({ hosts }) => hosts.signalDatabase('SIGCONT'),
  },
  'database-unplugged': {
    is: 'database parted from everything',
    moves: false,
    stopsAll: true,
    begin: ({ hosts }) => hosts.network.unplug(databaseHost),
  },
};

async function sessionsEnd({ hosts, owner }: Struck): Promise<void> {
  const address = hosts.network.address(owner.name);
  await eventually('the database ends the connections of a dead host', deadSessionsMsMax, async () => {
    const { rows } = await hosts.database.query<{ readonly left: string }>(
      'SELECT count(*) AS left FROM pg_stat_activity WHERE client_addr = $1',
      [address],
    );
    return Number(rows[0]!.left) === 0 ? true : undefined;
  });
}
