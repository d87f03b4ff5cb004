import { ApiProblem } from '../api/api-problem.ts';

const kept = 'ringfence.loadedAnew';
/** What is missing after that is missing for another reason. */
const againMs = 60_000;
/** Between two tries of a part that did not come. */
const waitMs = 2_000;
/** A part that does not come although the service is there is not waited for longer. */
const failuresMax = 3;

/**
 * Loads the page anew when a part of it that comes late is no longer there: the service was updated while the page was open,
 * and its parts have other names by now. While the service is away the page stays, with what was written on it.
 */
export function followNewBuild(): void {
  window.addEventListener('vite:preloadError', () => void loadAnewIfReplaced());
}

/** A part that comes late. It is waited for while the service is away. @throws ApiProblem when it cannot be had */
export async function latePart<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let failures = 0; ;) {
    try {
      return await load();
    } catch (error) {
      if ((await servedPage()) !== undefined && ++failures >= failuresMax) throw ApiProblem.unreachable(error);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

async function loadAnewIfReplaced(): Promise<void> {
  const served = await servedPage();
  const own = document.querySelector('script[type=module]')?.getAttribute('src') ?? '';
  if (served === undefined || served.includes(own)) return;
  if (Date.now() - Number(sessionStorage.getItem(kept)) < againMs) return;
  sessionStorage.setItem(kept, String(Date.now()));
  location.reload();
}

/** The page as the service hands it out now; `undefined` while it hands out none. */
async function servedPage(): Promise<string | undefined> {
  try {
    const response = await fetch('/console/', { cache: 'no-store' });
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}
