import { figure, table } from '../report/table.ts';
import { assumed, type Costs, type Machines, machinesFor } from './machines.ts';

/** At the busiest moment: round figures, the largest bank, a country's instant payments. */
export const rates = [10_000, 17_000, 73_000, 100_000, 1_000_000];
const keptDays = [400, 30];

/** The machines for several rates, with the arithmetic of the first and everything that is assumed. */
export function printMachines(costs: Costs): string {
  const tables = keptDays.map((days) => {
    const columns = rates.map((rate) => machinesFor(rate, costs, days));
    const rows = machineRows.map(([what, text]) => [what, ...columns.map(text)]);
    return `kept ${days} days\n${table([['events/s at the busiest moment', ...rates.map(figure)], ...rows])}`;
  });
  return [...tables, arithmetic(costs), assumptions()].join('\n');
}

const machineRows: readonly (readonly [what: string, text: (machines: Machines) => string])[] = [
  ['workspaces, at least', ({ workspaces }) => figure(workspaces)],
  ['service: cores', ({ services }) => figure(services.cores)],
  [`service: machines of ${assumed.serviceCores} cores`, ({ services }) => String(services.machines)],
  ['service: network of each', ({ services }) => rate(services.networkBytesPerSecond)],
  ['databases: cores', ({ databases }) => figure(databases.cores)],
  ['databases', ({ databases }) => figure(databases.count)],
  ['databases: bound by', ({ databases }) => databases.binding],
  ['databases: machines, each with a standby', ({ databases }) => figure(databases.machines)],
  ['databases: disk of each', ({ databases }) => bytes(databases.diskBytes)],
  ['databases: a day, all', ({ databases }) => bytes(databases.bytesADay)],
  ['databases: write-ahead log of each', ({ databases }) => rate(databases.walBytesPerSecond)],
  ['with Kafka: brokers', ({ brokers }) => figure(brokers.machines)],
  ['with Kafka: writes of each', ({ brokers }) => rate(brokers.bytesPerSecond)],
  ['with Kafka: disk of each', ({ brokers }) => bytes(brokers.diskBytes)],
];

/** Each line as it is calculated. */
function arithmetic(costs: Costs): string {
  const [peak = 0] = rates;
  const [days = 0] = keptDays;
  const { averagePerSecond, databases, services } = machinesFor(peak, costs, days);
  const { busyShareMax, databaseBytes, diskFactor, peakFactor, walBytes } = assumed;
  return `the arithmetic of ${figure(peak)} events/s, ${days} days
  average: ${figure(peak)} / ${peakFactor} = ${figure(averagePerSecond)}/s
  service: ${figure(peak)} x ${figure(costs.serviceUs)} us / ${busyShareMax} = ${figure(services.cores)} cores; / ${assumed.serviceCores}, rounded up, and a spare one: ${services.machines}
  PostgreSQL: ${figure(peak)} x ${figure(costs.databaseUs)} us / ${busyShareMax} = ${figure(databases.cores)} cores; / ${assumed.databaseCores} = ${figure(databases.neededFor.processor)} databases
  write-ahead log: ${figure(peak)} x ${figure(walBytes)} bytes = ${rate(peak * walBytes)}; / ${rate(assumed.walBytesPerSecondMax)} = ${figure(databases.neededFor['write-ahead log'])} databases
  disk: ${figure(averagePerSecond)} x 86,400 x ${days} x ${figure(databaseBytes)} bytes x ${diskFactor} = ${bytes(databases.bytesADay * days)}; / ${bytes(assumed.diskBytesMax)} = ${figure(databases.neededFor.disk)} databases
  databases: the largest of the three, rounded up: ${databases.count}
`;
}

function assumptions(): string {
  return `assumed
  busiest moments ${assumed.peakFactor} times the average; processors, network and disks of brokers at most ${100 * assumed.busyShareMax} % busy in them
  an event: ${figure(assumed.databaseBytes)} bytes in the database, ${figure(assumed.walBytes)} of write-ahead log, ${figure(assumed.logBytes)} of the log in Kafka, ${assumed.copies} copies
  one workspace: ${figure(assumed.workspacePerSecondMax)} events/s; one machine: ${assumed.serviceCores} cores for services, ${assumed.databaseCores} cores, ${bytes(assumed.diskBytesMax)} and ${rate(assumed.walBytesPerSecondMax)} of write-ahead log for a database, ${rate(assumed.brokerBytesPerSecondMax)} for a broker
  network ${rate(assumed.networkBytesPerSecondMax)} for a machine
`;
}

/** Decimal units, as disks are sold. */
function bytes(of: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const place = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, of)) / 3));
  return `${figure(of / 1_000 ** place)} ${units[place]}`;
}

function rate(bytesPerSecond: number): string {
  return `${bytes(bytesPerSecond)}/s`;
}
