// Opens the files of all regions as one store: new files are stored in the region of the request, and an ID tells the
// region of its file.

import { bucketAt, keepInRegion } from "../regions/located-env.ts";
import { FileBoundElsewhere } from "../regions/region-errors.ts";
import { homeOf, newTag } from "../regions/region-tag.ts";
import { type Region, regionOf, regionsOf } from "../regions/regions.ts";
import type { Env } from "../settings/config.ts";
import { removeCopies } from "./copies/copies.ts";
import { createStore, type Store, type StoreOptions } from "./store.ts";

/** @param env environment of the request; its region stores new files */
export function openStore(env: Env, options: StoreOptions): Store {
  const own = createStore(env.FILES, { ...options, tag: newTag(env) });
  const here = regionOf(env);
  if (!here) return own;
  const stores = new Map<Region, Store>([[here, own]]);
  const storeIn = (region: Region): Store => {
    const store = stores.get(region) ?? createStore(bucketAt(env, region), options);
    stores.set(region, store);
    return store;
  };
  return { ...own, ...across(env, storeIn, here) };
}

type Across = Pick<Store, "find" | "open" | "sha256" | "remove" | "retire" | "isRetired" | "pageFiles">;

function across(env: Env, storeIn: (region: Region) => Store, here: Region): Across {
  const first = regionsOf(env)![0]!;
  /** IDs of an older release that have a tag by chance. Their files are in the default region. */
  const untagged = new Set<string>();

  /** @throws FileBoundElsewhere */
  function storeOf(id: string): Store {
    const { region, isBound } = homeOf(id, env)!;
    if (untagged.has(id)) return storeIn(first);
    if (isBound && (region !== here || env.BOUND !== here.name)) throw new FileBoundElsewhere(region.name);
    if (isBound) keepInRegion(env);
    return storeIn(region);
  }

  async function lookUp<T>(id: string, question: (store: Store) => Promise<T | undefined>): Promise<T | undefined> {
    const { isCertain, region } = homeOf(id, env)!;
    if (isCertain || region === first) return question(storeOf(id));
    const inDefault = async () => {
      const found = await question(storeIn(first));
      if (found !== undefined) untagged.add(id);
      return found;
    };
    try {
      return (await question(storeOf(id))) ?? (await inDefault());
    } catch (error) {
      return (await inDefault().catch(() => undefined)) ?? Promise.reject(error);
    }
  }

  async function inEach<T>(
    items: readonly T[],
    storeFor: (item: T) => Store,
    act: (store: Store, all: T[]) => unknown,
  ) {
    for (const [store, all] of Map.groupBy(items, storeFor)) await act(store, all);
  }

  return {
    find: (id) => lookUp(id, (store) => store.find(id)),
    open: (id, range) => lookUp(id, (store) => store.open(id, range)),
    sha256: (id) => lookUp(id, (store) => store.sha256(id)),
    async remove(ids) {
      await inEach(ids, storeOf, (store, all) => store.remove(all));
      await removeCopies(env, ids);
    },
    async retire(files) {
      await inEach(
        files,
        ({ id }) => storeOf(id),
        (store, all) => store.retire(all),
      );
      await removeCopies(
        env,
        files.map(({ id }) => id),
      );
    },
    isRetired: async (id) => storeOf(id).isRetired(id),
    pageFiles: {
      read: async (id, name, range) => storeOf(id).pageFiles.read(id, name, range),
      put: async (file, name, bytes) => storeOf(file.id).pageFiles.put(file, name, bytes),
    },
  };
}
