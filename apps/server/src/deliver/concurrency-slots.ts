import { isUrgent, type LeasePlaces, type LeasedAction } from '@ringfence/delivery';
import { placesMax } from './bounds.ts';

/**
 * Concurrency slots of this process: each workspace has its own, separately for urgent and for ordinary actions, so
 * that a hung endpoint blocks no other workspace, and ordinary actions never block urgent ones.
 */
export class ConcurrencySlots {
  readonly #taken = new Map<string, { urgent: number; ordinary: number }>();

  /** The free slots of these workspaces; workspaces without any are omitted. */
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
