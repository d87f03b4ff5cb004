import { isUrgent, type LeasePlaces, type LeasedAction } from '@ringfence/delivery';
import { placesMax } from './bounds.ts';

/**
 * What is under way in this process: each workspace has places of its own, some for urgent actions and some for the others,
 * so that a hung endpoint holds up nobody else, and nothing ordinary an urgent action.
 */
export class Places {
  readonly #taken = new Map<string, { urgent: number; ordinary: number }>();

  /** The free places of these workspaces; those without any are left out. */
  free(workspaceIds: Iterable<string>): readonly LeasePlaces[] {
    return [...workspaceIds].flatMap((workspaceId) => {
      const { urgent, ordinary } = this.#taken.get(workspaceId) ?? { urgent: 0, ordinary: 0 };
      const places = { workspaceId, urgent: placesMax - urgent, ordinary: placesMax - ordinary };
      return places.urgent > 0 || places.ordinary > 0 ? [places] : [];
    });
  }

  take({ workspaceId, action }: Pick<LeasedAction, 'workspaceId' | 'action'>): void {
    const taken = this.#taken.get(workspaceId) ?? { urgent: 0, ordinary: 0 };
    taken[kindOf(action)] += 1;
    this.#taken.set(workspaceId, taken);
  }

  giveBack({ workspaceId, action }: Pick<LeasedAction, 'workspaceId' | 'action'>): void {
    const taken = this.#taken.get(workspaceId);
    if (taken === undefined) return;
    taken[kindOf(action)] -= 1;
    if (taken.urgent === 0 && taken.ordinary === 0) this.#taken.delete(workspaceId);
  }
}

function kindOf(action: number): 'urgent' | 'ordinary' {
  return isUrgent(action) ? 'urgent' : 'ordinary';
}
