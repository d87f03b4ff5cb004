import type { ShownLogin } from './shown-login.ts';

const hoursPerDay = 24;

/** How often logins showed each value of a part, among those that have the part. */
export abstract class LoginCounts {
  /** Logins with a place, with software, and with an hour. */
  places = 0;
  software = 0;
  timed = 0;
  /** Logins in each hour of the day. */
  readonly hours: number[] = Array.from({ length: hoursPerDay }, () => 0);

  /** Logins that showed a value, by its hash. */
  abstract countOf(hash: number): number;

  protected abstract add(hash: number): void;

  note({ place, software, hour }: ShownLogin): void {
    if (place !== undefined) {
      this.places++;
      for (let level = 0; level < place.length; level++) this.add(place[level]!);
    }
    if (software !== undefined) {
      this.software++;
      for (let level = 0; level < software.length; level++) this.add(software[level]!);
    }
    if (hour !== undefined) {
      this.timed++;
      this.hours[hour]!++;
    }
  }

  /** Halves all counts but those of the values. */
  protected halveTotals(): void {
    this.places = Math.floor(this.places / 2);
    this.software = Math.floor(this.software / 2);
    this.timed = Math.floor(this.timed / 2);
    for (let hour = 0; hour < hoursPerDay; hour++) this.hours[hour] = Math.floor(this.hours[hour]! / 2);
  }
}
