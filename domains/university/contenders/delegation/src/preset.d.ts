/** The preset of the generic server next door, copied here when the stack is built. */
export declare function presetFor(settings: { storeUrl: string; poolSize: number; host: string; port: number }): GraphileConfig.Preset;
