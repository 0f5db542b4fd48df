/** Wires the module together. */
import { providerRoutes } from './routes.ts'

/** The coding CLIs, as clients see them. */
export const createProviders = () => ({ routes: providerRoutes })
