#ifndef CEARSHOT_STORAGE_H
#define CEARSHOT_STORAGE_H

/* Files and folders: the calls whose names and records differ between systems, or that Swift does not see. */

#include <stdint.h>

/* What the system knows of a file or a folder. */
struct earshot_attributes {
  uint64_t device, number;
  uint64_t links; /* How many names it has. */
  int64_t bytes, stored_bytes;
  int64_t modified_s, modified_ns, changed_s, changed_ns; /* Seconds since 1970, and nanoseconds beside them. */
  int is_file, is_folder, is_executable;
};

/* Asks for the attributes of what is open, or of what has a name in a folder: of a link, or of what it leads to.
   Each returns 0, or -1 with errno set. */
int earshot_ask_attributes(int descriptor, struct earshot_attributes *attributes);
int earshot_ask_attributes_at(
    int folder, const char *name, int follows, struct earshot_attributes *attributes);

/* Reserves an open file for this descriptor until it is closed, without waiting (flock).
   Returns 0, or -1 with errno set: EWOULDBLOCK if another descriptor has it. */
int earshot_reserve(int file);

/* Takes that back, also for descriptors that children of this process have got. Returns 0, or -1 with errno set. */
int earshot_release(int file);

/* Gives an entry of a folder another name that is free; the second one with calls that every system has.
   Each returns 0, or -1 with errno set: EEXIST if there is anything of the new name. */
int earshot_rename_exclusively(int folder, const char *name, const char *new_name);
int earshot_rename_by_link(int folder, const char *name, const char *new_name);

/* The place of the next byte that is not in a hole, or of the next one that is; the end of a file counts as a hole.
   Returns -1 with errno set: ENXIO if there is none, EINVAL or ENOTSUP if the system does not tell. */
int64_t earshot_seek_data(int file, int64_t offset);
int64_t earshot_seek_hole(int file, int64_t offset);

/* Sets when a file was modified. Returns 0, or -1 with errno set. */
int earshot_set_modified(int file, int64_t seconds, long nanoseconds);

/* Waits until a file or a folder is on the disk. Returns 0, or -1 with errno set. */
int earshot_synchronize(int descriptor);

/* The names in a folder. Returns what to read them from, or NULL with errno set. */
void *earshot_open_names(int folder);

/* Returns the next name, valid until the next call, or NULL: at the end with errno 0. */
const char *earshot_read_name(void *names);

void earshot_close_names(void *names);

#endif
