/**
 * Makes all other machines unreachable for the process that imports it and for the Node processes that it starts:
 * `vitest.config.ts` preloads it in all tests. So the suite passes without a network, and no test contacts another
 * host. It intercepts every opened connection. Browsers are restricted by the tests' own proxy.
 */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction, Socket, type TcpNetConnectOpts } from 'node:net';

type Done = Parameters<LookupFunction>[2];

// oxlint-disable-next-line typescript/unbound-method -- it is called with the socket as its `this`
const connect = Socket.prototype.connect as (this: Socket, ...given: unknown[]) => Socket;

function connectNearby(this: Socket, ...given: unknown[]): Socket {
  const [first, second, third] = given;
  // From `net.connect`, which has normalised its arguments.
  if (Array.isArray(first)) {
    first[0] = nearby(first[0] as object);
    return connect.call(this, first);
  }
  if (typeof first === 'object' && first !== null) return connect.call(this, nearby(first), second);
  if (typeof second !== 'string') return connect.apply(this, given);
  return connect.call(this, nearby({ port: Number(first), host: second }), third);
}

// Test files that share a process install it once each.
if (connect.name !== connectNearby.name) Socket.prototype.connect = connectNearby;

/** Connection options that reach only this machine: looking up any other address or name fails. */
function nearby(options: object): object {
  const { host, lookup = systemLookup } = options as Partial<TcpNetConnectOpts>;
  if (host === undefined || isNear(host)) return options;
  // Only names are looked up, addresses are not.
  if (isIP(host) !== 0) return { ...options, host: 'stranger', lookup: refusing(host) };
  return lookup === systemLookup && !isNearName(host)
    ? { ...options, lookup: refusing(host) }
    : { ...options, lookup: onlyNear(lookup) };
}

function refusing(host: string): LookupFunction {
  return (_name, _options, done) => process.nextTick(done, unreachable(host));
}

function onlyNear(lookup: LookupFunction): LookupFunction {
  return (name, options, done) =>
    lookup(name, options, (error, found, family) => {
      const addresses =
        typeof found === 'string' ? [found] : (found as LookupAddress[] | undefined)?.map((one) => one.address);
      const stranger = error === null ? addresses?.find((address) => !isNear(address)) : undefined;
      if (stranger === undefined) done(error, found, family);
      else (done as (error: Parameters<Done>[0]) => void)(unreachable(stranger));
    });
}

/** Addresses of this machine in any notation. 0.0.0.0 and :: also mean it, as a destination. */
const near = new BlockList();
near.addSubnet('127.0.0.0', 8, 'ipv4');
for (const address of ['::1', '::']) near.addAddress(address, 'ipv6');
near.addAddress('0.0.0.0', 'ipv4');

function isNear(host: string): boolean {
  const version = isIP(host);
  return version !== 0 && near.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

function isNearName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

/** The error of a machine without a network. */
function unreachable(host: string): NodeJS.ErrnoException {
  const error = new Error(`connect ENETUNREACH ${host}: tests reach nothing but this machine`);
  return Object.assign(error, { code: 'ENETUNREACH', syscall: 'connect', address: host });
}

const own = `--import=${import.meta.url}`;
const options = process.env['NODE_OPTIONS'] ?? '';
if (!options.includes(own)) process.env['NODE_OPTIONS'] = `${options} ${own}`.trim();
