import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { promisify } from 'node:util';

/**
 * Machines of a network on this one: each is a network namespace, connected to a bridge by a cable (a pair of virtual
 * interfaces). This process, outside of all of them, is on the bridge too.
 */
export interface Network {
  /** Address of this process. */
  readonly outside: string;
  address(host: string): string;
  /** What starts a program on a host: the first words of its command line. */
  enter(host: string): readonly string[];
  /**
   * From now on, what `from` sends to `to` disappears without an answer. The other direction is not changed. `outside`
   * is a name, too.
   */
  drop(from: string, to: string): Promise<void>;
  /** Pulls the cable of a host. */
  unplug(host: string): Promise<void>;
  /** Undoes everything that `drop` and `unplug` have done. */
  heal(): Promise<void>;
  /** Removes all hosts, and ends what still runs on them. */
  close(): void;
}

/** The name of this process in `drop`. */
export const outside = 'outside';
const run = promisify(execFile);
/** All names begin with it, so the next run finds what a killed one has left. Interfaces have at most 15 characters. */
const prefix = 'rfhost-';
const bridge = `${prefix}br`;
const outsideAddress = '10.77.113.254';
/** Of no interface: the bridge delivers what is sent to it to a host that ignores it. */
const deadAddress = '02:00:5e:00:53:99';
const namespaces = '/run/netns';

/** Why there can be no such network here; `undefined`: there can. */
export async function whyNoNetwork(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'only root of a Linux can make network namespaces';
  try {
    await ip('netns', 'add', `${prefix}try`);
    await ip('netns', 'delete', `${prefix}try`);
    return undefined;
  } catch (error) {
    return `there are no network namespaces: ${(error as Error).message.trim().split('\n').at(-1)}`;
  }
}

/** Removes what an earlier run left, then makes hosts of these names. @throws with what `ip` says */
export async function makeNetwork(hosts: readonly string[]): Promise<Network> {
  removeAll();
  process.once('exit', removeAll);
  const addresses = new Map(hosts.map((host, place) => [host, `10.77.113.${place + 1}`] as const));
  addresses.set(outside, outsideAddress);
  const healing: (() => Promise<unknown>)[] = [];
  try {
    await ip('link', 'add', bridge, 'type', 'bridge');
    await ip('address', 'add', `${outsideAddress}/24`, 'dev', bridge);
    await ip('link', 'set', bridge, 'up');
    for (const host of hosts) await addHost(host, addresses.get(host)!);
  } catch (error) {
    removeAll();
    throw error;
  }
  return {
    outside: outsideAddress,
    address: (host) => addresses.get(host)!,
    enter: (host) => ['ip', 'netns', 'exec', prefix + host],
    drop: async (from, to) => {
      const where = from === outside ? [] : ['-n', prefix + from];
      const neighbour = [addresses.get(to)!, 'dev', from === outside ? bridge : 'eth0'];
      await ip(...where, 'neighbour', 'replace', ...neighbour, 'lladdr', deadAddress, 'nud', 'permanent');
      healing.push(() => ip(...where, 'neighbour', 'delete', ...neighbour));
    },
    unplug: async (host) => {
      await ip('link', 'set', prefix + host, 'down');
      healing.push(() => ip('link', 'set', prefix + host, 'up'));
    },
    heal: async () => {
      for (const undo of healing.splice(0)) await undo();
    },
    close: () => {
      removeAll();
      process.off('exit', removeAll);
    },
  };
}

async function addHost(host: string, address: string): Promise<void> {
  const name = prefix + host;
  await ip('netns', 'add', name);
  await ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
  await ip('link', 'set', name, 'master', bridge, 'up');
  await ip('-n', name, 'address', 'add', `${address}/24`, 'dev', 'eth0');
  await ip('-n', name, 'link', 'set', 'lo', 'up');
  await ip('-n', name, 'link', 'set', 'eth0', 'up');
}

/** Ends at once what runs on them. */
function removeAll(): void {
  const ignoring = (...words: readonly string[]): string => {
    const { stdout } = spawnSync('ip', words, { encoding: 'utf8' });
    return stdout;
  };
  const names = existsSync(namespaces) ? readdirSync(namespaces) : [];
  for (const name of names.filter((found) => found.startsWith(prefix))) {
    const pids = ignoring('netns', 'pids', name).split('\n').filter(Boolean);
    if (pids.length > 0) spawnSync('kill', ['-KILL', ...pids]);
    ignoring('netns', 'delete', name);
    // Its other end lives as long as a process of the namespace does, and would keep the name.
    ignoring('link', 'delete', name);
  }
  ignoring('link', 'delete', bridge);
}

function ip(...words: readonly string[]): Promise<{ readonly stdout: string }> {
  return run('ip', words);
}
