#ifndef CEARSHOTCLI_H
#define CEARSHOTCLI_H

/* Whether the command line is one of a command that meets real peers: its sets are hashed with random seeds, which peers
   cannot foresee. All other commands hash alike in every process, as simulated worlds need. */
int earshot_hashing_is_random(int count, char **arguments);

#endif
