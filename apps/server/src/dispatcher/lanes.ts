import { isUrgent, type LeasePlaces, type LeasedAction } from '@ringfence/delivery';
import { placesPerLane } from './bounds.ts';

type Lane = 'urgent' | 'ordinary';

/**
 * Who is under way in this process: for each workspace two lanes with places of their own, so that a hung endpoint
 * holds up nobody else, and nothing ordinary an urgent action.
 */
export class Lanes {
  readonly #taken = new Map<string, { urgent: number; ordinary: number }>();

  /** The free places of these workspaces; those without any are left out. */
  free(workspaceIds: Iterable<string>): readonly LeasePlaces[] {
    return [...workspaceIds].flatMap((workspaceId) => {
      const { urgent, ordinary } = this.#taken.get(workspaceId) ?? { urgent: 0, ordinary: 0 };
      const places = { workspaceId, urgent: placesPerLane - urgent, ordinary: placesPerLane - ordinary };
      return places.urgent > 0 || places.ordinary > 0 ? [places] : [];
    });
  }

  take({ workspaceId, action }: Pick<LeasedAction, 'workspaceId' | 'action'>): void {
    const taken = this.#taken.get(workspaceId) ?? { urgent: 0, ordinary: 0 };
    taken[laneOf(action)] += 1;
    this.#taken.set(workspaceId, taken);
  }

  giveBack({ workspaceId, action }: Pick<LeasedAction, 'workspaceId' | 'action'>): void {
    const taken = this.#taken.get(workspaceId);
    if (taken === undefined) return;
    taken[laneOf(action)] -= 1;
    if (taken.urgent === 0 && taken.ordinary === 0) this.#taken.delete(workspaceId);
  }
}

function laneOf(action: number): Lane {
  return isUrgent(action) ? 'urgent' : 'ordinary';
}
