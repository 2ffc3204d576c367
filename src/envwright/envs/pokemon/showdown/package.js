"use strict";
// The installed package; everything that this folder runs of Pokemon Showdown goes through here.

const path = require("path");

const folder = process.env.ENVWRIGHT_SHOWDOWN;
if (!folder) throw new Error("ENVWRIGHT_SHOWDOWN does not name the folder of pokemon-showdown");

const { Battle, Dex, Teams } = require(folder);
const version = require(path.join(folder, "package.json")).version;

module.exports = { Battle, Dex, Teams, version, FORMAT: "gen1randombattle", folder };
