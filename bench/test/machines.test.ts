/** The machines for a rate, by figures that are easy to calculate by hand. */
import { describe, expect, it } from 'vitest';
import { assumed, type Costs, machinesFor } from '../src/scale/machines.ts';
import { printMachines } from '../src/scale/print-machines.ts';

const costs: Costs = { serviceUs: 600, databaseUs: 300, networkBytes: 6_000 };

describe('machines for a rate', () => {
  it('follow from processor time: 10,000/s for 600 us at 60 % are 10 cores', () => {
    const { averagePerSecond, services, databases, workspaces } = machinesFor(10_000, costs, 1);
    expect(averagePerSecond).toBeCloseTo(3_333.33, 1);
    expect(services.cores).toBe(10);
    expect(services.machines).toBe(2);
    expect(services.networkBytesPerSecond).toBe(60e6);
    expect(databases.cores).toBe(5);
    expect(databases.neededFor.processor).toBeCloseTo(5 / assumed.databaseCores, 12);
    expect(workspaces).toBe(2);
  });

  it('have a spare machine of the service, and a standby for each database', () => {
    const { services, databases } = machinesFor(100_000, costs, 1);
    expect(services.machines).toBe(Math.ceil(100 / assumed.serviceCores) + 1);
    expect(databases.machines).toBe(2 * databases.count);
  });

  it('are bound by the disk if events are kept for long, and then each database has no more than fits', () => {
    const { databases } = machinesFor(10_000, costs, 400);
    // 3,333 events/s in a day, of 2,430 bytes and 30 % room.
    expect(databases.bytesADay).toBeCloseTo((10_000 / 3) * 86_400 * 2_430 * 1.3, -3);
    expect(databases.binding).toBe('disk');
    expect(databases.count).toBe(7);
    expect(databases.diskBytes).toBeLessThanOrEqual(assumed.diskBytesMax);
    expect(databases.diskBytes * databases.count).toBeCloseTo(400 * databases.bytesADay, -6);
  });

  it('are bound by the processor or the write-ahead log otherwise', () => {
    expect(machinesFor(100_000, costs, 1).databases).toMatchObject({ binding: 'write-ahead log', count: 2 });
    expect(machinesFor(100_000, { ...costs, databaseUs: 3_000 }, 1).databases).toMatchObject({
      binding: 'processor',
      count: 16,
    });
  });

  it('need as many machines of the service as its network takes', () => {
    const { services } = machinesFor(100_000, { ...costs, networkBytes: 60_000 }, 1);
    // 6 GB/s of 0.75 GB/s each.
    expect(services.machines).toBe(9);
  });

  it('have three brokers at least, and enough for all copies', () => {
    expect(machinesFor(1_000, costs, 1).brokers.machines).toBe(3);
    const { brokers } = machinesFor(1_000_000, costs, 1);
    expect(brokers.machines).toBe(Math.ceil((1e6 * 1_010 * 3) / (200e6 * 0.6)));
    expect(brokers.bytesPerSecond * brokers.machines).toBeCloseTo(1e6 * 1_010 * 3, 0);
  });

  it('grow in proportion', () => {
    const [some, many] = [machinesFor(50_000, costs, 400), machinesFor(500_000, costs, 400)];
    expect(many.services.cores).toBe(10 * some.services.cores);
    expect(many.databases.bytesADay / some.databases.bytesADay).toBeCloseTo(10, 9);
  });
});

it('are printed with their arithmetic and everything that is assumed', () => {
  const text = printMachines(costs);
  expect(text).toContain('service: 10,000 x 600 us / 0.6 = 10.0 cores');
  expect(text).toContain('3,333 x 86,400 x 400 x 2,430 bytes x 1.3 = 364 TB; / 60.0 TB = 6.07 databases');
  for (const value of ['60 %', '3 times', '2,430 bytes', '3,300 of write-ahead log', '6,500 events/s'])
    expect(text).toContain(value);
});
